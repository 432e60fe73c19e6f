// What a plan says of itself in words.
#pragma once

#include "search.hpp"
#include "uncertainty.hpp"

namespace tilewright {

/// Why the plan is not proven, and how far it may be from the best one.
void add_proof(Plan& plan, const SearchSpace& space, const Search& search, double seconds);
/// Costs and limits that are not known.
void add_unknowns(Plan& plan, const MachineProfile& profile, const SearchSpace& space);
/// That computing and messages are not as fast as they were calibrated, if a refresh has found that.
void add_refresh(Plan& plan, const MachineProfile& profile);
/// On which ranks the plan reckons to be faster than others.
void add_speeds(Plan& plan, const SearchSpace& space);
/// How much of its steps the plan reckons to pass at the same time.
void add_hidden(Plan& plan);
/// How the ranks lie on nodes, where the plan says.
void add_mapping(Plan& plan, const SearchSpace& space);
/// Of exchanges that pass while tiles are computed.
void add_overlaps(Plan& plan);
/// What was asked for besides the least time.
void add_wishes(Plan& plan, const SearchSpace& space, double seconds);
/// Which measurements the interval of the prediction comes from: those that make up most of its square.
void add_sources_of_error(Plan& plan, const ErrorSource& errors, const ErrorEffects& effects);

}  // namespace tilewright

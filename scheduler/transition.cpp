#include "transition.hpp"

#include "tilewright/core/error.hpp"

namespace tilewright {

using Kind = Transition::Kind;

bool moves_pixels(const Transition& transition) {
  const bool is_step = transition.kind != Kind::none && transition.kind != Kind::extract;
  return is_step && transfer_kind(step_kind(transition.kind)).has_value();
}

bool computes(Kind kind) {
  return kind == Kind::compute_root || kind == Kind::compute_tiles || kind == Kind::compute_everywhere;
}

Kind kind_of_computing(Site site) {
  switch (site) {
    case Site::root:
      return Kind::compute_root;
    case Site::tiles:
      return Kind::compute_tiles;
    case Site::everywhere:
      return Kind::compute_everywhere;
  }
  throw InternalError("kind_of_computing: unknown site");
}

Site site_of_computing(Kind kind) {
  for (const Site site : {Site::root, Site::tiles, Site::everywhere}) {
    if (kind_of_computing(site) == kind) return site;
  }
  throw InternalError("site_of_computing: nothing is computed");
}

bool reduces(const Transition& transition) {
  return transition.kind == Kind::reduce_root || transition.kind == Kind::reduce_tiles;
}

StepKind step_kind(Transition::Kind kind) {
  switch (kind) {
    case Kind::read:
    case Kind::read_tiles:
      return StepKind::read;
    case Kind::write:
    case Kind::write_tiles:
      return StepKind::write;
    case Kind::scatter:
      return StepKind::scatter;
    case Kind::gather:
      return StepKind::gather;
    case Kind::broadcast:
    case Kind::deliver:
      return StepKind::broadcast;
    case Kind::allgather:
      return StepKind::allgather;
    case Kind::exchange:
      return StepKind::exchange;
    case Kind::redistribute:
      return StepKind::redistribute;
    case Kind::compute_root:
    case Kind::compute_tiles:
    case Kind::compute_everywhere:
      return StepKind::compute;
    case Kind::reduce_root:
    case Kind::reduce_tiles:
      return StepKind::reduce;
    case Kind::none:
    case Kind::extract:
      break;
  }
  throw InternalError("transition is no step of its own");
}

}  // namespace tilewright

#include "tilewright/transfers/classified_schedule.hpp"

#include <algorithm>
#include <utility>

#include "node_forms.hpp"

namespace tilewright {
namespace {

/// Most messages are like one of the last.
std::size_t index_of(const MessageForm& form, std::vector<MessageForm>& forms) {
  const auto known = std::find(forms.rbegin(), forms.rend(), form);
  if (known != forms.rend()) return static_cast<std::size_t>(forms.rend() - known) - 1;
  forms.push_back(form);
  return forms.size() - 1;
}

}  // namespace

ClassifiedSchedule classified(Schedule schedule) {
  ClassifiedSchedule result;
  result.form_of.reserve(static_cast<std::size_t>(schedule.message_count()));
  std::vector<MessageForm> forms;
  std::vector<std::size_t> sent_in(schedule.tiles.size(), 0);  // by rank: the last round in which it sends, from 1 on
  for (std::size_t i = 0; i < schedule.rounds.size(); ++i) {
    const Round& round = schedule.rounds[i];
    forms = forms_on_nodes(schedule, round, std::move(forms));
    for (const MessageForm& form : forms) {
      const bool is_as_last = !result.form_of.empty() && result.forms[result.form_of.back()] == form;
      result.form_of.push_back(is_as_last ? result.form_of.back() : index_of(form, result.forms));
    }
    for (const Message& message : round) {
      sent_in[static_cast<std::size_t>(message.sender)] = i + 1;
    }
    result.shifts.push_back(std::any_of(round.begin(), round.end(), [&](const Message& message) {
      return sent_in[static_cast<std::size_t>(message.receiver)] == i + 1;
    }));
  }
  result.copied_bytes = schedule.copied_bytes();
  result.schedule = std::move(schedule);
  return result;
}

}  // namespace tilewright

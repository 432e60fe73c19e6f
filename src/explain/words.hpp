// How plans and their parts are worded, the same in every format for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tilewright/model/plan.hpp"

namespace tilewright {

/// "1.23 ms", or "unknown": never a number for what is not known.
[[nodiscard]] std::string seconds_text(const std::optional<double>& seconds);
/// "3.4 ms", or "at least 3.4 ms" for one that is not priced in full.
[[nodiscard]] std::string seconds_text(const Alternative& other);
/// "2x4", or "1x8 and 8x1" if images change between the two.
[[nodiscard]] std::string grids_text(const Alternative& other);
[[nodiscard]] std::string grids_text(const Plan& plan);
/// measured over predicted, "1.07x"; empty where one of them is missing or the prediction is 0.
[[nodiscard]] std::string ratio_text(const std::optional<double>& predicted, const std::optional<double>& measured);
/// "1 rank", "2 ranks".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);

/// "image3"; "?" for an index that the plan does not have.
[[nodiscard]] std::string image_name(const Plan& plan, int image);
/// "oft", "oft in turn", "overlapped"; empty for a step that can be done in one way only.
[[nodiscard]] std::string way_text(const PlanStep& step);
/// What is predicted of that which is measured: of an overlapped exchange, what is not hidden.
[[nodiscard]] std::optional<double> comparable_prediction(const PlanStep& step);
/// What the step does, without its kind: "image1 = sqrt of ...", "image0, halo 5x5", "image2 to out.tif".
[[nodiscard]] std::string what_text(const Plan& plan, const PlanStep& step);
/// "sbt"; "on root" for a file that the step reads on the tiles.
[[nodiscard]] std::string rejected_way_text(const PlanStep& step, const RejectedAlgorithm& other);
/// "8 ranks as 2x4, 2 threads each".
[[nodiscard]] std::string configuration_text(const Plan& plan);
/// "proven optimal", "within the tie zone of the optimum (proven)", or that it is not proven.
[[nodiscard]] std::string proof_text(const Plan& plan);
/// "predicted 1.2 ms +- 2.1 % (lower bound 1.1 ms, proven optimal)" without the first word.
[[nodiscard]] std::string prediction_text(const Plan& plan);
/// "chosen within the tie zone of 1.8 %: ..."; empty without a tie.
[[nodiscard]] std::string tie_text(const Plan& plan);
/// "the plan ends here ..." if the plan is partial, else empty.
[[nodiscard]] std::string partial_text(const Plan& plan);

/// `text` with control characters replaced by spaces, so that it stays on its line.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace tilewright

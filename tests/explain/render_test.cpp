// What the golden files cannot say: why it is so.
#include "tilewright/explain/render.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "sample_plans.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PlanFormats, AreNamed) {
  EXPECT_EQ(parse_plan_format("text"), PlanFormat::text);
  EXPECT_EQ(parse_plan_format("json"), PlanFormat::json);
  EXPECT_EQ(parse_plan_format("dot"), PlanFormat::dot);
  EXPECT_EQ(parse_plan_format("html"), PlanFormat::html);
  EXPECT_EQ(parse_plan_format("slurm"), PlanFormat::slurm);
  EXPECT_THROW((void)parse_plan_format("pdf"), ParameterError);
}

TEST(Render, AProgramWithoutPlansIsRefused) {
  EXPECT_THROW((void)render({}, PlanFormat::text), ParameterError);
}

TEST(RenderText, FitsATerminal) {
  Plan plan = test::measured(test::eight_ranks());
  plan.steps[3].operation += std::string(300, 'x') + " " + std::string(300, 'y');
  plan.notes.push_back(std::string(500, 'z'));
  plan.alternatives.push_back({1000, {1000, 1}, 1e-9, std::string(400, 'w')});
  std::istringstream lines(render({plan, plan}, PlanFormat::text));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 120U + 2U) << line;  // 2: "ö" and "ß" have two bytes each
  }
}

TEST(RenderText, WhatIsOnlyBoundedIsCountedAndSaid) {
  Plan plan = test::eight_ranks();
  EXPECT_THAT(render({plan}, PlanFormat::text), Not(HasSubstr("bounded")));
  plan.alternatives.push_back({4, {4, 1}, {}, "at least 1 ms slower", 0.0001});
  EXPECT_THAT(render({plan}, PlanFormat::text),
              AllOf(HasSubstr("(8 alternatives, 1 of them bounded only)"), HasSubstr("at least 100 ")));
  EXPECT_THAT(render({plan}, PlanFormat::html), HasSubstr("at least 100 "));
}

TEST(RenderText, WhatIsUnknownIsNeverANumber) {
  const std::string text = render({test::one_rank()}, PlanFormat::text);
  EXPECT_THAT(text, HasSubstr("predicted   unknown"));
  EXPECT_THAT(text, Not(HasSubstr("0 s")));
}

TEST(RenderText, SaysHowManyNodesPay) {
  Plan plan = test::with_curve(test::eight_ranks());
  const auto text = [&] { return render({plan}, PlanFormat::text); };
  EXPECT_THAT(text(), HasSubstr("8 nodes recommended: 17.9 ms at an efficiency of 71.5 % (3.98e-05 node-hours)"));
  EXPECT_THAT(text(), HasSubstr("16 nodes, the fastest, would save 26.3 % of that time for 1.47 times the node-hours"));
  EXPECT_THAT(text(), HasSubstr("more than 16 nodes do not pay"));
  EXPECT_THAT(text(), HasSubstr("less than 2 nodes have no plan"));
  plan.node_curve->points.resize(7);
  plan.node_curve->last = 16;
  EXPECT_THAT(text(), HasSubstr("16 nodes, the most that were asked about, are the fastest"));
  plan.node_curve->points[2].predicted_seconds.reset();
  EXPECT_THAT(text(), HasSubstr("no count is recommended"));
  EXPECT_THAT(render({plan}, PlanFormat::html), Not(HasSubstr("<svg"))) << "there is nothing to draw";
}

TEST(RenderText, ACurveOfAProgramIsThatOfAllItsSegments) {
  const Plan plan = test::with_curve(test::eight_ranks());
  Plan other = plan;
  other.node_curve->points.erase(other.node_curve->points.begin());
  const std::string text = render({plan, other}, PlanFormat::text);
  EXPECT_THAT(text, HasSubstr("73.0 ms")) << "3 nodes: 36.5 ms twice";
  EXPECT_THAT(text, Not(HasSubstr("102 ms"))) << "2 nodes are not shown by both";
  other.node_curve.reset();
  EXPECT_THAT(render({plan, other}, PlanFormat::text), Not(HasSubstr("node-hours")));
}

TEST(Render, TheCurveOfAProgramMayBePlannedByItself) {
  Plan kept = test::with_curve(test::eight_ranks());
  const NodeCurve known = *kept.node_curve;
  EXPECT_FALSE(unplanned_curve({kept}));
  EXPECT_FALSE(unplanned_curve({test::eight_ranks()})) << "it was not asked for";
  kept.node_curve->points.clear();
  const std::vector<Plan> segments{test::with_curve(test::eight_ranks()), kept};
  std::optional<NodeCurve> curve = unplanned_curve(segments);
  ASSERT_TRUE(curve);
  EXPECT_EQ(counts_to_plan(*curve, segments), (std::vector<int>{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}));
  EXPECT_THAT(render(segments, PlanFormat::text), HasSubstr("each count has to be planned by itself"));
  EXPECT_THAT(render(segments, PlanFormat::html), Not(HasSubstr("<svg")));
  const NodePoint point = point_of_program(4, segments);
  EXPECT_EQ(point.nodes, 4);
  EXPECT_EQ(point.ranks, 8);
  EXPECT_DOUBLE_EQ(*point.predicted_seconds, 2 * *kept.predicted_seconds);
  EXPECT_GT(point.node_bytes, 0);
  curve->points = known.points;
  for (const auto& plans : {segments, {kept}}) {
    EXPECT_THAT(render(plans, PlanFormat::text, {}, curve), HasSubstr("8 nodes recommended: 17.9 ms"));
    EXPECT_THAT(render(plans, PlanFormat::html, {}, curve), HasSubstr("<svg"));
  }
  EXPECT_EQ(plans_from_json(render(segments, PlanFormat::json, {}, curve)), segments);
}

TEST(RenderText, SaysThatAPlanWasChosenWithinTheTieZone) {
  const Plan plan = test::tied(test::eight_ranks());
  for (const PlanFormat format : {PlanFormat::text, PlanFormat::html}) {
    const std::string text = render({plan}, format);
    EXPECT_THAT(text, HasSubstr("13.2 ms +- 3.0 % (lower bound 13.1 ms, within the tie zone of the optimum, which is"));
    EXPECT_THAT(text, HasSubstr("chosen within the tie zone of 2.3 %: grid 4x3 is predicted to take 13.1 ms"));
  }
  Plan sure = test::eight_ranks();
  sure.proven_optimal = true;
  const std::string program = render({sure, plan}, PlanFormat::text);
  EXPECT_THAT(program.substr(0, 300), HasSubstr("within the tie zone")) << "a program with a tie is not the optimum";
}

TEST(RenderText, SaysThatEachRankReadsItsTile) {
  Plan plan = test::eight_ranks();
  PlanStep& read = plan.steps.front();
  read.site = Site::tiles;
  read.rejected = {{{}, 0.0062, "4.2 ms slower: read 2 ms and scatter 4.2 ms"}};
  EXPECT_THAT(render({plan}, PlanFormat::text), HasSubstr("each rank its"));
  EXPECT_THAT(render({plan}, PlanFormat::text), HasSubstr("on root"));
  read.exchanged = {9, 7};
  EXPECT_THAT(render({plan}, PlanFormat::text), HasSubstr("tile with halo 9x7"));
  EXPECT_THAT(render({plan}, PlanFormat::dot), HasSubstr("image0 tiled 2x4, halo 9x7 valid"));
  EXPECT_THAT(render({plan}, PlanFormat::html), HasSubstr("4.2 ms slower"));
  EXPECT_EQ(plans_from_json(render({plan}, PlanFormat::json)), std::vector{plan});
}

TEST(RenderDot, TilesAreCutOutOfAReplicaByTheStepThatTakesThem) {
  Plan plan = test::eight_ranks();
  plan.images[0].storage_halo = {3, 2};
  plan.steps = {test::step(StepKind::read, Site::root, 0, "a.tif", 1),
                test::step(StepKind::broadcast, Site::root, 0, "", 1),
                test::step(StepKind::reduce, Site::tiles, 0, "sum", 1)};
  EXPECT_THAT(render({plan}, PlanFormat::dot), HasSubstr("image0 tiled 2x4, halo 3x2 valid"));
  plan.steps.pop_back();
  EXPECT_THAT(render({plan}, PlanFormat::dot), Not(HasSubstr("image0 tiled")));
}

TEST(Render, SaysThatEachRankComputesAll) {
  Plan plan = test::eight_ranks();
  const auto compute = std::ranges::find(plan.steps, StepKind::compute, &PlanStep::kind);
  compute->site = Site::everywhere;
  compute->operation = "double";
  compute->margin = {};
  for (const PlanFormat format : {PlanFormat::text, PlanFormat::html, PlanFormat::dot}) {
    EXPECT_THAT(render({plan}, format), HasSubstr("image1 = double, all of it on each rank"));
  }
  EXPECT_THAT(render({plan}, PlanFormat::text), HasSubstr("everywhere"));
  EXPECT_THAT(render({plan}, PlanFormat::dot), HasSubstr("image1 replicated"));
}

TEST(Render, OfAnOverlappedExchangeTheRestIsComparedWithWhatIsMeasured) {
  Plan plan = test::eight_ranks();
  const auto exchange = std::find_if(plan.steps.begin(), plan.steps.end(),
                                     [](const PlanStep& step) { return step.kind == StepKind::exchange; });
  ASSERT_NE(exchange, plan.steps.end());
  exchange->overlapped = true;
  exchange->predicted_seconds = 0.0123;
  exchange->hidden_seconds = 0.0089;
  for (const PlanFormat format : {PlanFormat::text, PlanFormat::html, PlanFormat::dot}) {
    const std::string text = render({plan}, format);
    EXPECT_THAT(text, HasSubstr("overlapped"));
    EXPECT_THAT(text, HasSubstr("3.40 ms"));
    EXPECT_THAT(text, Not(HasSubstr("12.3 ms")));
  }
}

TEST(RenderText, ATextKeepsToItsLine) {
  Plan plan = test::one_rank();
  plan.steps[0].operation = "evil\nname\x1b[2J.tif";
  EXPECT_THAT(render({plan}, PlanFormat::text), HasSubstr("evil name [2J.tif"));
}

TEST(RenderHtml, TextIsEscapedAndNothingIsLoaded) {
  Plan plan = test::eight_ranks();
  plan.machine = "<script>alert('x')</script>";
  plan.alternatives[0].why_not = "<img src=x>";
  plan.notes[0] = "a & b";
  const std::string page = render({plan}, PlanFormat::html);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)"));
  EXPECT_THAT(page, HasSubstr("a &amp; b"));
  EXPECT_THAT(page, Not(HasSubstr("http")));
}

TEST(RenderHtml, DrawsTheCurveOverNodes) {
  const std::string page = render({test::with_curve(test::eight_ranks())}, PlanFormat::html);
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_THAT(page, HasSubstr("8 nodes: 17.9 ms, efficiency 71.5 %, recommended"));
  EXPECT_THAT(page, HasSubstr("node-hours"));
  EXPECT_THAT(render({test::eight_ranks()}, PlanFormat::html), Not(HasSubstr("<svg")));
}

TEST(RenderDot, LabelsAreEscaped) {
  Plan plan = test::one_rank();
  plan.steps[0].operation = "a\"b\\c.tif";
  EXPECT_THAT(render({plan}, PlanFormat::dot), HasSubstr(R"(a\"b\\c.tif)"));
}

/// The value of an #SBATCH option.
std::string option(const std::string& script, const std::string& name) {
  const std::string head = "#SBATCH --" + name + "=";
  const std::size_t begin = script.find(head);
  if (begin == std::string::npos) return "missing";
  return script.substr(begin + head.size(), script.find('\n', begin) - begin - head.size());
}

TEST(RenderSlurm, NodesAreRoundedUp) {
  const auto script = [&](int ranks_per_node) {
    Plan plan = test::eight_ranks();
    plan.ranks_per_node = ranks_per_node;
    return render({plan}, PlanFormat::slurm);
  };
  const auto nodes = [&](int ranks_per_node) { return option(script(ranks_per_node), "nodes"); };
  EXPECT_EQ(nodes(1), "8");
  EXPECT_EQ(nodes(3), "3");
  EXPECT_EQ(nodes(8), "1");
  EXPECT_EQ(nodes(100), "1");
  EXPECT_EQ(option(script(100), "ntasks-per-node"), "8");
}

TEST(RenderSlurm, TheNodesAreThoseOfTheSegmentThatNeedsMost) {
  Plan close = test::eight_ranks();
  close.ranks_per_node = 8;
  Plan far = test::eight_ranks();
  far.ranks = 2;
  far.grid = {1, 2};
  far.ranks_per_node = 1;
  const std::string script = render({close, far}, PlanFormat::slurm);
  EXPECT_EQ(option(script, "nodes"), "2");
  EXPECT_EQ(option(script, "ntasks-per-node"), "8");
  EXPECT_EQ(option(script, "ntasks"), "16");
}

TEST(RenderSlurm, ANodeHasTheCoresForItsThreads) {
  Plan wide = test::eight_ranks();
  wide.ranks_per_node = 4;
  wide.threads = 1;
  Plan narrow = test::one_rank();
  narrow.threads = 16;
  const auto cores = [](const std::vector<Plan>& segments) {
    return option(render(segments, PlanFormat::slurm), "cpus-per-task");
  };
  EXPECT_EQ(cores({wide}), "1");
  EXPECT_EQ(cores({narrow}), "16");
  EXPECT_EQ(cores({wide, narrow}), "4") << "sixteen for the four tasks of a node";
}

TEST(RenderSlurm, TheTimeLimitGrowsWithThePredictedTime) {
  const auto limit = [](std::optional<double> seconds) {
    Plan plan = test::eight_ranks();
    plan.predicted_seconds = seconds;
    return option(render({plan}, PlanFormat::slurm), "time");
  };
  EXPECT_EQ(limit(0), "00:05:00");
  EXPECT_EQ(limit(0.01), "00:06:00");
  EXPECT_EQ(limit(3600), "03:05:00");
  EXPECT_EQ(limit(36000), "1-06:05:00");
  EXPECT_EQ(limit(std::nullopt), "01:00:00");
  Plan unknown = test::eight_ranks();
  unknown.predicted_seconds.reset();
  EXPECT_THAT(render({unknown}, PlanFormat::slurm), HasSubstr("unknown"));
}

TEST(RenderSlurm, MemoryIsThatOfTheFullestNode) {
  Plan plan = test::eight_ranks();
  plan.root_bytes = 100 << 20;
  plan.rank_bytes = 40 << 20;
  const auto memory = [&](int ranks_per_node) {
    plan.ranks_per_node = ranks_per_node;
    return option(render({plan}, PlanFormat::slurm), "mem");
  };
  EXPECT_EQ(memory(1), "381M");  // 1.25 * 100 + 256
  EXPECT_EQ(memory(3), "993M");  // 1.25 * (100 + 2 * 40) + 3 * 256
  plan.root_bytes = 10 << 20;
  EXPECT_EQ(memory(3), "918M");   // 1.25 * 3 * 40 + 3 * 256: on a node without the root
  EXPECT_EQ(memory(8), "2411M");  // 1.25 * (10 + 7 * 40) + 8 * 256: there is no other node
}

TEST(RenderSlurm, TellsTheRunWhatThePlanningWasTold) {
  const std::string script =
      render({test::eight_ranks()}, PlanFormat::slurm, {.command = "./app", .variables = {"A=1", "B='2 3'"}});
  EXPECT_THAT(script, HasSubstr("\nexport A=1\nexport B='2 3'\nmpiexec -n 8 ./app\n"));
}

TEST(RenderSlurm, CommentsStayComments) {
  Plan plan = test::eight_ranks();
  plan.notes = {"first\nrm -rf something"};
  const std::string script = render({plan}, PlanFormat::slurm, {.command = "./app a b"});
  EXPECT_THAT(script, Not(HasSubstr("\nrm")));
  EXPECT_THAT(script, HasSubstr("\nmpiexec -n 8 ./app a b\n"));
}

}  // namespace
}  // namespace tilewright

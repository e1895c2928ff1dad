// SPDX-License-Identifier: Apache-2.0
// States of compiled programs: written in place, kept by a run that fails, lost
// by an asynchronous one.
#include "framework/device/stream.h"
#include "framework/device/transfer.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "static_graph/program/testing/program_places.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StateTest : public testing::ProgramTest {};
INSTANTIATE_ON_PLACES(StateTest);

// One step of w -= rate * x, and a step counter that is not in place.
constexpr char kStep[] = R"(program @step {
  ^entry(
      %x: feed "x" tensor<float32[2]>,
      %w: state "w" tensor<float32[2]>,
      %n: state "n" tensor<float32[1]>):
    %0 = builtin.constant() {value = dense<float32[1]>[0.5]} : tensor<float32[1]>
    %1 = builtin.constant() {value = dense<float32[1]>[1.0]} : tensor<float32[1]>
    %2 = op.add(%n, %1) : tensor<float32[1]>
    %3 = op.sgd_(%w, %0, %x) : tensor<float32[2]>
    %4 = op.checked(%x) : tensor<float32[2]>
    builtin.return("y" = %4, "w" = %3) state("w" = %3, "n" = %2)
}
)";

TEST_P(StateTest, UpdatesStateInItsOwnMemory) {
  const auto program = Compile(kStep);
  State state;
  const DenseTensor w = Make<float>({2}, {1, 2});
  ASSERT_THAT(state.Set("w", w), IsOk());
  ASSERT_THAT(state.Set("n", Make<float>({1}, {0})), IsOk());
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(program->Run({{"x", Make<float>({2}, {2, 4})}}, &state),
                IsOk());
  }
  EXPECT_THAT(Floats(w), ElementsAre(-2, -4));
  EXPECT_EQ(state.Find("w")->raw_data(), w.raw_data());
  EXPECT_THAT(Floats(*state.Find("n")), ElementsAre(3));
  EXPECT_EQ(w.buffer()->version(), 3u);
  // Nothing was copied for sgd_: it wrote the state itself.
  if (GetParam().falls_back) return;
  EXPECT_THAT(program->lowered_text(), Not(HasSubstr("kernel.copy")));
}

TEST_P(StateTest, LeavesStateAloneAfterAnError) {
  const auto program = Compile(kStep);
  State state;
  ASSERT_THAT(state.Set("w", Make<float>({2}, {1, 2})), IsOk());
  ASSERT_THAT(state.Set("n", Make<float>({1}, {5})), IsOk());
  EXPECT_THAT(program->Run({{"x", Make<float>({2}, {2, -4})}}, &state),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "step: checked: x must be without negative elements, "
                       "got one"));
  EXPECT_THAT(Floats(*state.Find("w")), ElementsAre(1, 2));
  EXPECT_THAT(Floats(*state.Find("n")), ElementsAre(5));
}

TEST_P(StateTest, CopiesBeforeAnInPlaceOperatorWhereItMust) {
  // The old value is fetched, and another operator reads the new one.
  const auto program = Compile(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[1]>, %w: state "w" tensor<float32[1]>):
    %0 = op.sgd_(%w, %x, %x) : tensor<float32[1]>
    %1 = op.checked(%0) : tensor<float32[1]>
    builtin.return("old" = %w, "new" = %1) state("w" = %0)
}
)");
  EXPECT_THAT(program->lowered_text(), HasSubstr("kernel.copy"));
  State state;
  ASSERT_THAT(state.Set("w", Make<float>({1}, {5})), IsOk());
  const auto fetches = program->Run({{"x", Make<float>({1}, {2})}}, &state);
  EXPECT_THAT(Floats(fetches, 0), ElementsAre(5));
  EXPECT_THAT(Floats(fetches, 1), ElementsAre(1));
  EXPECT_THAT(Floats(*state.Find("w")), ElementsAre(1));
  EXPECT_THAT(program->Run({{"x", Make<float>({1}, {2})}}, &state),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("checked: x must be without negative")));
  EXPECT_THAT(Floats(*state.Find("w")), ElementsAre(1));
}

TEST_P(StateTest, SwapsStates) {
  const auto program = Compile(R"(program @p {
  ^entry(%a: state "a" tensor<float32[1]>, %b: state "b" tensor<float32[1]>):
    builtin.return() state("a" = %b, "b" = %a)
}
)");
  State state;
  ASSERT_THAT(state.Set("a", Make<float>({1}, {1})), IsOk());
  ASSERT_THAT(state.Set("b", Make<float>({1}, {2})), IsOk());
  ASSERT_THAT(program->Run({}, &state), IsOk());
  EXPECT_THAT(Floats(*state.Find("a")), ElementsAre(2));
  EXPECT_THAT(Floats(*state.Find("b")), ElementsAre(1));
}

TEST_P(StateTest, NamesMissingAndWrongStates) {
  const auto program = Compile(kStep);
  const std::vector<Feed> feeds = {{"x", Make<float>({2}, {1, 1})}};
  EXPECT_THAT(program->Run(feeds), StatusIs(absl::StatusCode::kInvalidArgument,
                                            HasSubstr("state must be given")));
  State state;
  EXPECT_THAT(program->Run(feeds, &state),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "step: state w must be float32[2], got none"));
  ASSERT_THAT(state.Set("w", Make<float>({3}, {1, 2, 3})), IsOk());
  ASSERT_THAT(state.Set("n", Make<float>({1}, {0})), IsOk());
  EXPECT_THAT(program->Run(feeds, &state),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "step: state w must be float32[2], got float32[3]"));
}

// Asynchronous runs follow one another; what they wrote is there when it is
// read.
TEST_P(StateTest, AsynchronousRunsWriteStatesInOrder) {
  const auto program = Compile(kStep);
  State state;
  ASSERT_THAT(state.Set("w", Make<float>({2}, {1, 2})), IsOk());
  ASSERT_THAT(state.Set("n", Make<float>({1}, {0})), IsOk());
  RunOptions options;
  options.asynchronous = true;
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(
        program->Run({{"x", Make<float>({2}, {2, 4})}}, &state, options),
        IsOk());
  }
  EXPECT_THAT(Floats(*state.Find("w")), ElementsAre(-2, -4));
  EXPECT_THAT(Floats(*state.Find("n")), ElementsAre(3));
}

// A run that has failed when it returns wrote nothing: so on the host, and
// where a fallback fails. A device may find the error later, when the states
// are being written: they are lost, until somebody gives them values again.
TEST_P(StateTest, AnAsynchronousRunThatFailsLosesItsStates) {
  const auto program = Compile(kStep);
  const DenseTensor w = Make<float>({2}, {1, 2});
  const DenseTensor n = Make<float>({1}, {5});
  State state;
  ASSERT_THAT(state.Set("w", w), IsOk());
  ASSERT_THAT(state.Set("n", n), IsOk());
  RunOptions options;
  options.asynchronous = true;
  const auto failed =
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("checked: x must be without negative"));
  const absl::Status given =
      program->Run({{"x", Make<float>({2}, {2, -4})}}, &state, options)
          .status();
  const std::vector<Feed> good = {{"x", Make<float>({2}, {2, 4})}};
  if (!GetParam().late) {
    EXPECT_THAT(given, failed);
    EXPECT_THAT(Floats(w), ElementsAre(1, 2));
    EXPECT_THAT(Floats(n), ElementsAre(5));
  } else {
    EXPECT_THAT(given, IsOk());
    EXPECT_THAT(Transferred(w, Place::Cpu()), failed);
    EXPECT_THAT(Transferred(n, Place::Cpu()), failed);
    EXPECT_THAT(program->Run(good, &state), failed);
    for (const auto& [lost, values] : {std::pair(w, Make<float>({2}, {1, 2})),
                                       std::pair(n, Make<float>({1}, {5}))}) {
      EXPECT_THAT(CopyBytes(BytesOf(values), BytesOf(lost),
                            values.numel() * sizeof(float)),
                  IsOk());
    }
  }
  EXPECT_THAT(program->Run(good, &state), IsOk());
  EXPECT_THAT(Floats(w), ElementsAre(0, 0));
  EXPECT_THAT(Floats(n), ElementsAre(6));
  EXPECT_THAT(Synchronize(GetParam().place), IsOk());
}

}  // namespace
}  // namespace switchyard::static_graph

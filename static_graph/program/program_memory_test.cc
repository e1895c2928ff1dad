// SPDX-License-Identifier: Apache-2.0
// Feeds and states that share memory.
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "static_graph/program/testing/program_places.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ProgramMemoryTest : public testing::ProgramTest {};
INSTANTIATE_ON_PLACES(ProgramMemoryTest);

// b becomes a + x; a stays.
constexpr char kTwoStates[] = R"(program @p {
  ^entry(
      %x: feed "x" tensor<float32[2]>,
      %a: state "a" tensor<float32[2]>,
      %b: state "b" tensor<float32[2]>):
    %0 = op.add(%a, %x) : tensor<float32[2]>
    %1 = op.add(%b, %x) : tensor<float32[2]>
    builtin.return("x" = %x, "out" = %1) state("b" = %0)
}
)";

TEST_P(ProgramMemoryTest, RefusesAnUpdatedStateInMemoryOfAnother) {
  const auto program = Compile(kTwoStates);
  const DenseTensor x = Make<float>({2}, {1, 2});
  const DenseTensor shared = Make<float>({2}, {3, 4});
  State state;
  ASSERT_THAT(state.Set("a", shared), IsOk());
  ASSERT_THAT(state.Set("b", shared), IsOk());
  for (int run = 0; run < 2; ++run) {
    EXPECT_THAT(
        program->Run({{"x", x}}, &state),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 HasSubstr(" overlap in memory; a program that updates one of "
                           "them needs them disjoint")));
    EXPECT_THAT(Floats(shared), ElementsAre(3, 4));
  }
  // Half of it.
  const DenseTensor wide = Make<float>({3}, {3, 4, 5});
  DenseTensor first;
  first.SetView(wide, {2}, {1}, 0);
  DenseTensor second;
  second.SetView(wide, {2}, {1}, 1);
  ASSERT_THAT(state.Set("a", second), IsOk());
  ASSERT_THAT(state.Set("b", first), IsOk());
  EXPECT_THAT(program->Run({{"x", x}}, &state),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("p: states b and a overlap in memory")));
  ASSERT_THAT(state.Set("a", Make<float>({2}, {3, 4})), IsOk());
  EXPECT_THAT(program->Run({{"x", x}}, &state), IsOk());
  EXPECT_THAT(Floats(wide), ElementsAre(4, 6, 5));
}

TEST_P(ProgramMemoryTest, LetsStatesShareMemoryThatIsOnlyRead) {
  const auto program = Compile(R"(program @p {
  ^entry(
      %a: state "a" tensor<float32[2]>,
      %b: state "b" tensor<float32[2]>):
    %0 = op.add(%a, %b) : tensor<float32[2]>
    builtin.return("out" = %0)
}
)");
  const DenseTensor shared = Make<float>({2}, {3, 4});
  State state;
  ASSERT_THAT(state.Set("a", shared), IsOk());
  ASSERT_THAT(state.Set("b", shared), IsOk());
  EXPECT_THAT(Floats(program->Run({}, &state)), ElementsAre(6, 8));
}

TEST_P(ProgramMemoryTest, CopiesAFeedInMemoryOfAnUpdatedState) {
  const auto program = Compile(kTwoStates);
  const DenseTensor b = Make<float>({2}, {3, 4});
  State state;
  ASSERT_THAT(state.Set("a", Make<float>({2}, {10, 20})), IsOk());
  ASSERT_THAT(state.Set("b", b), IsOk());
  const auto fetches = program->Run({{"x", b}}, &state);
  EXPECT_THAT(Floats(fetches, 0), ElementsAre(3, 4));
  EXPECT_THAT(Floats(fetches, 1), ElementsAre(6, 8));
  EXPECT_THAT(Floats(b), ElementsAre(13, 24));
}

}  // namespace
}  // namespace switchyard::static_graph

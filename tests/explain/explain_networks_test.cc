// SPDX-License-Identifier: Apache-2.0
// Checks that what explain says of a program is what runs, where layouts are
// assigned over many operations: its kernels and its reorders are those that
// were entered, which their own thunks write down (observed_kernels.h).
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "framework/memory/buffer_watch.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_tables.h"
#include "phi/selection/selection.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/program/executable.h"
#include "tests/eager_static/conv_network.h"
#include "tests/explain/observed_kernels.h"

namespace switchyard::static_graph {
namespace {

using Lines = std::vector<std::string>;

// The launches of one run; of reorders their number.
struct Launched {
  Lines kernels;
  int reorders = 0;
  DenseTensor result;
};

std::shared_ptr<const Executable> Compiled(const ConvNetworkOptions& network) {
  ir::Context context;
  EXPECT_THAT(RegisterDialects(&context, AllDialectOps()), IsOk());
  const auto graph = ConvNetwork(&context, network);
  EXPECT_THAT(graph, IsOk());
  const auto program =
      Executable::Compile(*graph, phi::KernelTables::Current());
  EXPECT_THAT(program, IsOk());
  return *program;
}

State NewState(const Executable& program) {
  State state;
  for (const ProgramPlan::Port& port : program.states()) {
    EXPECT_THAT(
        state.Set(port.name,
                  MakeTensor<float>(
                      port.meta.shape,
                      NetworkValues(port.name, port.meta.shape.numel()))),
        IsOk());
  }
  return state;
}

Launched RunOn(const Executable& program, const Shape& image, State* state) {
  const std::vector<Feed> feeds = {
      {"x", MakeTensor<float>(image, std::vector<float>(image.numel(), 0.5f))}};
  phi::Launches().clear();
  const auto fetches = program.Run(feeds, state);
  EXPECT_THAT(fetches, IsOk());
  Launched launched;
  launched.result = fetches->at(0).tensor;
  for (const phi::KernelDef* kernel : phi::Launches()) {
    if (std::string_view(kernel->op) == "reorder") {
      ++launched.reorders;
    } else {
      launched.kernels.push_back(phi::selection::KernelText(*kernel));
    }
  }
  return launched;
}

// The lines that begin with `prefix`, without it.
Lines LinesAfter(absl::string_view text, absl::string_view prefix) {
  Lines found;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::ConsumePrefix(&line, prefix)) found.emplace_back(line);
  }
  return found;
}

void ExpectAsExplained(const ConvNetworkOptions& network) {
  const auto program = Compiled(network);
  const Shape image({2, network.channels, network.extent, network.extent});
  const auto text = program->Explain({image});
  ASSERT_THAT(text, IsOk());
  const Lines transforms = LinesAfter(*text, "transforms: ");
  int reorders = 0;
  for (const std::string& line : transforms) {
    for (const absl::string_view part : absl::StrSplit(line, ", ")) {
      reorders += absl::StartsWith(part, "reorder ") ? 1 : 0;
    }
  }
  State state = NewState(*program);
  const Launched launched = RunOn(*program, image, &state);
  EXPECT_EQ(LinesAfter(*text, "chosen: "), launched.kernels);
  EXPECT_EQ(reorders, launched.reorders) << *text;
  const auto lines = program->Transcript({image});
  ASSERT_THAT(lines, IsOk());
  ASSERT_EQ(lines->size(), transforms.size());
  for (size_t i = 0; i < lines->size(); ++i) {
    EXPECT_TRUE(absl::EndsWith((*lines)[i],
                               absl::StrCat("transforms: ", transforms[i])))
        << (*lines)[i] << "\nexplained: " << transforms[i];
  }
}

ConvNetworkOptions SmallNetwork() {
  ConvNetworkOptions network;
  network.layers = 4;
  network.channels = 64;
  network.extent = 12;  // Larger tensors are computed block by block.
  network.free_batch = true;
  return network;
}

TEST(ExplainNetworksTest, ConstantsAreReorderedBeforeARun) {
  ExpectAsExplained(SmallNetwork());
}

// Filters and biases are reordered in the first run, to the layout of the
// images.
TEST(ExplainNetworksTest, StatesAreReorderedByAProgram) {
  ConvNetworkOptions network = SmallNetwork();
  network.fixed_weights = false;
  ExpectAsExplained(network);
  network.batch_norm = true;
  network.pooling = "max";
  ExpectAsExplained(network);
}

// A state is reordered again only when it was written, however that was done:
// each run launches the reorders of two images, and gives the bits that a
// program gives that was compiled just now.
TEST(ExplainNetworksTest, StatesAreReorderedWhenTheyWereWritten) {
  ConvNetworkOptions network = SmallNetwork();
  network.fixed_weights = false;
  const auto program = Compiled(network);
  const Shape image({2, network.channels, network.extent, network.extent});
  State state = NewState(*program);
  // There is one for each filter, for each bias except the last, which is added
  // to a strided image, and two for images.
  const int all = 2 * network.layers - 1 + 2;
  const auto expect_reorders = [&](int count) {
    const Launched launched = RunOn(*program, image, &state);
    EXPECT_EQ(launched.reorders, count);
    const Launched fresh = RunOn(*Compiled(network), image, &state);
    EXPECT_EQ(fresh.reorders, all);
    EXPECT_TRUE(TensorsIdentical(launched.result, fresh.result));
    return launched.result;
  };
  const DenseTensor before = expect_reorders(all);
  EXPECT_TRUE(TensorsIdentical(expect_reorders(2), before));
  // An operator writes it.
  const std::string name = program->states()[0].name;
  DenseTensor weight = *state.Find(name);
  weight.mutable_data<float>()[0] += 1.0f;
  weight.buffer()->BumpVersion();
  EXPECT_FALSE(TensorsIdentical(expect_reorders(3), before));
  expect_reorders(2);
  // Another library may write it, for a while.
  {
    const OutsideView view(weight.buffer().get());
    expect_reorders(3);
    weight.mutable_data<float>()[1] += 1.0f;
    expect_reorders(3);
  }
  expect_reorders(3);
  expect_reorders(2);
  { const OutsideView view(weight.buffer().get()); }
  expect_reorders(3);
  // Another tensor takes its place.
  const DenseTensor other =
      MakeTensor<float>(weight.shape(), NetworkValues(name, weight.numel()));
  EXPECT_THAT(state.Set(name, other), IsOk());
  EXPECT_TRUE(TensorsIdentical(expect_reorders(3), before));
  // All frames and shapes of a program share them.
  const Shape larger({3, network.channels, network.extent, network.extent});
  EXPECT_EQ(RunOn(*program, larger, &state).reorders, 2);
}

}  // namespace
}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
// What explain says of a program is what runs, where layouts are assigned over
// many operations: its kernels and its reorders are those that were entered,
// which their own thunks write down (observed_kernels.h).
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
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

Launched RunOn(const Executable& program, const Shape& image) {
  State state;
  for (const ProgramPlan::Port& port : program.states()) {
    EXPECT_THAT(
        state.Set(port.name,
                  MakeTensor<float>(
                      port.meta.shape,
                      NetworkValues(port.name, port.meta.shape.numel()))),
        IsOk());
  }
  const std::vector<Feed> feeds = {
      {"x", MakeTensor<float>(image, std::vector<float>(image.numel(), 0.5f))}};
  phi::Launches().clear();
  EXPECT_THAT(program.Run(feeds, &state), IsOk());
  Launched launched;
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
  const Launched launched = RunOn(*program, image);
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
  network.free_batch = true;
  return network;
}

TEST(ExplainNetworksTest, ConstantsAreReorderedBeforeARun) {
  ExpectAsExplained(SmallNetwork());
}

// Filters and biases are reordered in each run, to the layout of the images.
TEST(ExplainNetworksTest, StatesAreReorderedInEachRun) {
  ConvNetworkOptions network = SmallNetwork();
  network.fixed_weights = false;
  ExpectAsExplained(network);
  network.batch_norm = true;
  network.pooling = "max";
  ExpectAsExplained(network);
}

}  // namespace
}  // namespace switchyard::static_graph

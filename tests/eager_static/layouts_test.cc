// SPDX-License-Identifier: Apache-2.0
// Values that stay in the layouts of kernels: how many reorders are left, and
// that every bit is the same as without.
#include <memory>
#include <string>
#include <vector>

#include "framework/device/cpu/parallel.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/kernel_dialect.h"
#include "static_graph/program/program.h"
#include "tests/eager_static/conv_network.h"

namespace switchyard::static_graph {
namespace {

using ::testing::HasSubstr;

constexpr int kLayers = 10;

std::shared_ptr<const Program> Compiled(int channels, bool assign_layouts) {
  ir::Context context;
  EXPECT_THAT(RegisterOpDialect(&context, AllDialectOps()), IsOk());
  ConvNetworkOptions network_options;
  network_options.layers = kLayers;
  network_options.channels = channels;
  const auto network = ConvNetwork(&context, network_options);
  EXPECT_THAT(network, IsOk());
  CompileOptions options;
  options.assign_layouts = assign_layouts;
  const auto program =
      Program::Compile(*network, phi::KernelTables::Current(), options);
  EXPECT_THAT(program, IsOk());
  return *program;
}

DenseTensor RunOn(const Program& program, int channels) {
  const Shape shape({1, channels, 28, 28});
  std::vector<float> values(shape.numel());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>((i * 31) % 97) / 50 - 1;
  }
  const std::vector<Feed> feeds = {{"x", MakeTensor<float>(shape, values)}};
  const auto fetches = program.Run(feeds);
  EXPECT_THAT(fetches, IsOk());
  return fetches->at(0).tensor;
}

// The lines of the lowered program that reorder an image, not a constant.
int ImageReorders(const Program& program, int channels) {
  const std::string image =
      "tensor<float32[1, " + std::to_string(channels) + ", 28, 28]";
  int count = 0;
  std::string line;
  for (char c : program.lowered_text()) {
    if (c != '\n') {
      line += c;
      continue;
    }
    const bool reorder = line.find("kernel.reorder(") != line.npos;
    count += reorder && line.find(image) != line.npos ? 1 : 0;
    line.clear();
  }
  return count;
}

TEST(LayoutsTest, ANetworkHasTwoReorders) {
  EXPECT_EQ(ImageReorders(*Compiled(32, true), 32), 2);
  EXPECT_EQ(ImageReorders(*Compiled(32, false), 32), 2 * kLayers);
}

// Constants are reordered when the program is made: no launch is left of them.
TEST(LayoutsTest, ConstantsAreReorderedOnce) {
  const auto program = Compiled(32, true);
  const auto lines = program->Transcript({Shape({1, 32, 28, 28})});
  ASSERT_THAT(lines, IsOk());
  EXPECT_EQ(lines->size(), 3u * kLayers);
  for (const std::string& line : *lines) {
    EXPECT_EQ(line.find("reorder filter"), line.npos) << line;
  }
  EXPECT_THAT(lines->front(), HasSubstr("transforms: reorder input to "));
  EXPECT_THAT(lines->at(3), HasSubstr("transforms: none"));
}

// 36 channels leave blocks half empty: then only convolutions may hand on.
TEST(LayoutsTest, EveryBitIsTheSame) {
  for (const int channels : {32, 36}) {
    const auto assigned = Compiled(channels, true);
    const DenseTensor expected = RunOn(*Compiled(channels, false), channels);
    const int before = NumThreads();
    for (const int threads : {1, 3}) {
      SetNumThreads(threads);
      EXPECT_TRUE(TensorsIdentical(RunOn(*assigned, channels), expected));
    }
    SetNumThreads(before);
  }
}

}  // namespace
}  // namespace switchyard::static_graph

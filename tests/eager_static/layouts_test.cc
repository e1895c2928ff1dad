// SPDX-License-Identifier: Apache-2.0
// Values that stay in the layouts of kernels: how many reorders are left, and
// that every bit is the same as without.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "framework/device/cpu/parallel.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/parser.h"
#include "static_graph/program/executable.h"
#include "tests/eager_static/conv_network.h"

namespace switchyard::static_graph {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::shared_ptr<const Executable> Compiled(const ConvNetworkOptions& network,
                                           bool assign_layouts) {
  ir::Context context;
  EXPECT_THAT(RegisterDialects(&context, AllDialectOps()), IsOk());
  const auto graph = ConvNetwork(&context, network);
  EXPECT_THAT(graph, IsOk());
  CompileOptions options;
  options.assign_layouts = assign_layouts;
  const auto program =
      Executable::Compile(*graph, phi::KernelTables::Current(), options);
  EXPECT_THAT(program, IsOk());
  return *program;
}

ConvNetworkOptions OfChannels(int channels) {
  ConvNetworkOptions network;
  network.channels = channels;
  return network;
}

Shape ImageShape(const ConvNetworkOptions& network, int batch) {
  if (network.channels_last) {
    return Shape({batch, network.extent, network.extent, network.channels});
  }
  return Shape({batch, network.channels, network.extent, network.extent});
}

DenseTensor RunOn(const Executable& program, const ConvNetworkOptions& network,
                  int batch = 1) {
  const Shape shape = ImageShape(network, batch);
  std::vector<float> values(shape.numel());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>((i * 31) % 97) / 50 - 1;
  }
  State state;
  for (const ProgramPlan::Port& port : program.states()) {
    EXPECT_THAT(
        state.Set(port.name,
                  MakeTensor<float>(
                      port.meta.shape,
                      NetworkValues(port.name, port.meta.shape.numel()))),
        IsOk());
  }
  const std::vector<Feed> feeds = {{"x", MakeTensor<float>(shape, values)}};
  const auto fetches = program.Run(feeds, &state);
  EXPECT_THAT(fetches, IsOk());
  return fetches->at(0).tensor;
}

// The lines of the lowered program that reorder an image, not a weight: a batch
// of one, or of any size, of more than one pixel.
int ImageReorders(const Executable& program) {
  int count = 0;
  const std::vector<std::string> lines =
      absl::StrSplit(program.lowered_text(), '\n');
  for (const std::string& line : lines) {
    const bool image = absl::StrContains(line, "tensor<float32[1, ") ||
                       absl::StrContains(line, "tensor<float32[?, ");
    count += image && absl::StrContains(line, "kernel.reorder(") &&
                     !absl::StrContains(line, ", 1, 1]")
                 ? 1
                 : 0;
  }
  return count;
}

// Expects two reorders in all, and the bits of a program with many.
void ExpectTwoReorders(const ConvNetworkOptions& network) {
  const auto assigned = Compiled(network, true);
  EXPECT_EQ(ImageReorders(*assigned), 2) << assigned->lowered_text();
  const auto strided = Compiled(network, false);
  EXPECT_GT(ImageReorders(*strided), 2);
  const DenseTensor expected = RunOn(*strided, network);
  const int before = NumThreads();
  for (const int threads : {1, 3}) {
    SetNumThreads(threads);
    EXPECT_TRUE(TensorsIdentical(RunOn(*assigned, network), expected));
  }
  SetNumThreads(before);
}

TEST(LayoutsTest, ANetworkHasTwoReorders) {
  const ConvNetworkOptions network = OfChannels(32);
  ExpectTwoReorders(network);
  EXPECT_EQ(ImageReorders(*Compiled(network, false)), 2 * network.layers);
}

TEST(LayoutsTest, PoolingAndBatchNormKeepBlocks) {
  for (const char* pooling : {"max", "avg"}) {
    SCOPED_TRACE(pooling);
    ConvNetworkOptions network = OfChannels(32);
    network.extent = 64;
    network.batch_norm = true;
    network.pooling = pooling;
    ExpectTwoReorders(network);
  }
}

// Our own kernels: filters of 1 x 1 anywhere, depthwise ones on small images.
TEST(LayoutsTest, SeparableConvolutionsKeepBlocks) {
  ConvNetworkOptions network = OfChannels(128);
  network.depthwise = network.pointwise = network.batch_norm = true;
  network.pooling = "max";
  ExpectTwoReorders(network);
}

// The sum is the convolution's, and what is added has the same open batch.
TEST(LayoutsTest, ASumInsideAConvolutionKeepsBlocks) {
  ir::Context context;
  ASSERT_THAT(RegisterDialects(&context, AllDialectOps()), IsOk());
  const auto graph = ir::Parse(&context, R"(program @p {
  ^entry(%x: feed "x" tensor<float32[?, 32, 16, 16]>, %w: state "w" tensor<float32[32, 32, 3, 3]>):
    %0 = op.conv2d_epilogue(%x, %w) {operand_segments = int32[1, 1, 0, 0, 0, 0], paddings = int32[1, 1]} : tensor<float32[?, 32, 16, 16]>
    %1 = op.conv2d_epilogue(%0, %w, %0) {operand_segments = int32[1, 1, 0, 1, 0, 0], paddings = int32[1, 1]} : tensor<float32[?, 32, 16, 16]>
    builtin.return("out" = %1)
})");
  ASSERT_THAT(graph, IsOk());
  const auto program =
      Executable::Compile(*graph, phi::KernelTables::Current());
  ASSERT_THAT(program, IsOk());
  EXPECT_EQ(ImageReorders(**program), 2) << (*program)->lowered_text();
}

// A number is strided beside a blocked image, on either side of it.
TEST(LayoutsTest, AnImageAndANumberKeepBlocks) {
  ir::Context context;
  ASSERT_THAT(RegisterDialects(&context, AllDialectOps()), IsOk());
  const auto graph = ir::Parse(&context, R"(program @p {
  ^entry(%x: feed "x" tensor<float32[1, 32, 16, 16]>, %w: state "w" tensor<float32[32, 32, 3, 3]>, %s: state "s" tensor<float32[]>, %t: state "t" tensor<float32[1]>):
    %0 = op.conv2d(%x, %w) {paddings = int32[1, 1]} : tensor<float32[1, 32, 16, 16]>
    %1 = op.quantize_dequantize(%0, %s) : tensor<float32[1, 32, 16, 16]>
    %2 = op.subtract(%t, %1) : tensor<float32[1, 32, 16, 16]>
    %3 = op.conv2d(%2, %w) {paddings = int32[1, 1]} : tensor<float32[1, 32, 16, 16]>
    builtin.return("out" = %3)
})");
  ASSERT_THAT(graph, IsOk());
  ConvNetworkOptions network = OfChannels(32);
  network.extent = 16;
  std::vector<DenseTensor> results;
  for (const bool assign_layouts : {false, true}) {
    CompileOptions options;
    options.assign_layouts = assign_layouts;
    const auto program =
        Executable::Compile(*graph, phi::KernelTables::Current(), options);
    ASSERT_THAT(program, IsOk());
    EXPECT_EQ(ImageReorders(**program), assign_layouts ? 2 : 4);
    results.push_back(RunOn(**program, network));
  }
  EXPECT_TRUE(TensorsIdentical(results[0], results[1]));
}

// Five blocks of a network for mobile devices: depthwise and 1 x 1 filters,
// batch norms, a skip connection around each block, poolings.
TEST(LayoutsTest, ResidualSeparableBlocksKeepBlocks) {
  for (const char* pooling : {"max", "avg", ""}) {
    SCOPED_TRACE(pooling);
    for (const int channels : {32, 64, 128}) {
      ConvNetworkOptions network = OfChannels(channels);
      network.depthwise = network.pointwise = network.batch_norm = true;
      network.residual = true;
      network.pooling = pooling;
      ExpectTwoReorders(network);
    }
  }
}

// Our convolutions of few channels read planes, whatever the format.
TEST(LayoutsTest, ChannelsFirstAreKept) {
  for (const char* pooling : {"max", "avg"}) {
    ConvNetworkOptions network = OfChannels(16);
    network.channels_last = network.batch_norm = true;
    network.extent = 20;
    network.pooling = pooling;
    ExpectTwoReorders(network);
  }
}

TEST(LayoutsTest, AFreeBatchKeepsBlocks) {
  ConvNetworkOptions network = OfChannels(64);
  network.extent = 48;
  network.pointwise = network.batch_norm = network.free_batch = true;
  network.pooling = "avg";
  ExpectTwoReorders(network);
  const auto program = Compiled(network, true);
  const DenseTensor one = RunOn(*program, network, 1);
  const DenseTensor three = RunOn(*program, network, 3);
  EXPECT_EQ(std::memcmp(one.raw_data(), three.raw_data(),
                        one.numel() * sizeof(float)),
            0);
  EXPECT_EQ(RunOn(*program, network, 0).shape()[0], Dim(0));
}

// They are strided, and reordered by the program: explain says so. When, is in
// tests/explain/explain_networks_test.cc.
TEST(LayoutsTest, StatesAreReorderedByTheProgram) {
  ConvNetworkOptions network = OfChannels(32);
  network.fixed_weights = false;
  ExpectTwoReorders(network);
  const auto lines =
      Compiled(network, true)->Transcript({ImageShape(network, 1)});
  ASSERT_THAT(lines, IsOk());
  EXPECT_THAT(*lines, Contains(HasSubstr("reorder filter to ")));
}

// Constants are reordered when the program is made: no launch is left of them.
TEST(LayoutsTest, ConstantsAreReorderedOnce) {
  const ConvNetworkOptions network = OfChannels(32);
  const auto program = Compiled(network, true);
  const auto lines = program->Transcript({ImageShape(network, 1)});
  ASSERT_THAT(lines, IsOk());
  EXPECT_EQ(lines->size(), 3u * network.layers);
  for (const std::string& line : *lines) {
    EXPECT_EQ(line.find("reorder filter"), line.npos) << line;
  }
  EXPECT_THAT(lines->front(), HasSubstr("transforms: reorder input to "));
  EXPECT_THAT(lines->at(3), HasSubstr("transforms: none"));
}

// 36 channels leave blocks half empty: then only convolutions, poolings and
// batch norms may hand on.
TEST(LayoutsTest, PaddedBlocksGiveTheSameBits) {
  for (const bool batch_norm : {true, false}) {
    ConvNetworkOptions network = OfChannels(36);
    network.batch_norm = batch_norm;
    network.pooling = "max";
    const DenseTensor expected = RunOn(*Compiled(network, false), network);
    EXPECT_TRUE(
        TensorsIdentical(RunOn(*Compiled(network, true), network), expected));
  }
}

}  // namespace
}  // namespace switchyard::static_graph

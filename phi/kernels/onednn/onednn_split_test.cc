// SPDX-License-Identifier: Apache-2.0
// Cut into parts or whole, calls of oneDNN give the same bits; and what decides
// how they are cut.
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/device/cpu/parallel.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "phi/kernels/onednn/image_split.h"
#include "phi/kernels/onednn/layouts.h"
#include "phi/kernels/onednn/onednn_context.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {
namespace {

using onednn::FindBlocks;
using onednn::ImageSplit;
using onednn::SplitImages;

void ExpectTheSameBits(const KernelCase& call) {
  const KernelDef* const kernel = FindKernel(call, "onednn");
  ASSERT_NE(kernel, nullptr);
  const int before = NumThreads();
  std::vector<DenseTensor> whole;
  for (int threads : {1, 2, 3}) {
    SetNumThreads(threads);
    auto outputs = Outputs(call);
    ASSERT_THAT(outputs, IsOk());
    ASSERT_THAT(Launch(*kernel, call, &*outputs), IsOk());
    if (threads == 1) whole = *outputs;
    for (size_t i = 0; i < whole.size(); ++i) {
      EXPECT_TRUE(TensorsIdentical((*outputs)[i], whole[i]))
          << threads << " threads, output " << i;
    }
  }
  SetNumThreads(before);
}

struct Conv {
  Shape input, filter;
  int stride, padding;
  const char* format = "NCHW";
};

void ExpectTheSameBits(const Conv& conv, bool depthwise) {
  SCOPED_TRACE(ToString(conv.input) + ToString(conv.filter));
  const std::vector<int> strides(2, conv.stride), paddings(2, conv.padding),
      dilations(2, 1);
  const auto groups = static_cast<int>(depthwise ? conv.filter.extent(0) : 1);
  const AttrRef dilation = absl::MakeConstSpan(dilations);
  KernelCase call = {
      "conv2d",
      {RandomTensor<float>(conv.input, -1, 1),
       RandomTensor<float>(conv.filter, -1, 1, /*seed=*/2)},
      {absl::MakeConstSpan(strides), absl::MakeConstSpan(paddings), "EXPLICIT",
       dilation, groups, conv.format}};
  if (depthwise) {
    call.op = "depthwise_conv2d";
    std::swap(call.attrs[3], call.attrs[4]);
  }
  ExpectTheSameBits(call);
}

TEST(SplitTest, Convolutions) {
  const Conv cases[] = {
      {Shape({1, 96, 40, 41}), Shape({24, 96, 3, 3}), 1, 1},
      {Shape({1, 64, 28, 28}), Shape({64, 64, 3, 3}), 1, 1},
      {Shape({1, 32, 28, 28}), Shape({100, 32, 3, 3}), 2, 1},  // Not in eights.
      {Shape({1, 128, 14, 15}), Shape({256, 128, 1, 1}), 1, 0},
      {Shape({1, 240, 12, 20}), Shape({480, 240, 1, 1}), 1, 0},
      {Shape({1, 480, 1, 40}), Shape({64, 480, 1, 3}), 1, 1},
      {Shape({3, 48, 20, 20}), Shape({96, 48, 3, 3}), 1, 1},
      {Shape({7, 32, 20, 20}), Shape({16, 32, 5, 5}), 1, 2},
      {Shape({1, 3, 64, 96}), Shape({32, 3, 3, 3}), 2, 1},
      {Shape({5, 28, 28, 32}), Shape({64, 32, 3, 3}), 1, 1, "NHWC"},
  };
  for (const Conv& conv : cases) ExpectTheSameBits(conv, false);
}

// With AVX2 alone oneDNN unfolds most of these images and multiplies matrices.
TEST(SplitTest, ConvolutionsThatReadPaddingAlone) {
  const Conv cases[] = {
      {Shape({1, 28, 28, 96}), Shape({128, 96, 3, 3}), 1, 3, "NHWC"},
      {Shape({1, 81, 97, 8}), Shape({8, 8, 3, 3}), 1, 3, "NHWC"},
      {Shape({2, 20, 21, 96}), Shape({72, 96, 5, 5}), 2, 7, "NHWC"},
      {Shape({5, 20, 20, 32}), Shape({64, 32, 3, 3}), 1, 3, "NHWC"},
      {Shape({1, 96, 14, 14}), Shape({48, 96, 3, 3}), 1, 3},
      {Shape({1, 3, 81, 97}), Shape({7, 3, 3, 3}), 1, 3},
  };
  for (const Conv& conv : cases) ExpectTheSameBits(conv, false);
  ExpectTheSameBits({Shape({1, 96, 28, 28}), Shape({96, 1, 3, 3}), 1, 3}, true);
}

TEST(SplitTest, DepthwiseConvolutions) {
  const Conv cases[] = {
      {Shape({1, 192, 40, 40}), Shape({192, 1, 5, 5}), 1, 2},
      {Shape({1, 88, 56, 57}), Shape({88, 1, 3, 3}), 2, 1},
      {Shape({1, 100, 28, 28}), Shape({100, 1, 3, 3}), 1, 1},  // Not in eights.
      {Shape({6, 64, 28, 28}), Shape({64, 1, 3, 3}), 1, 1},
      {Shape({1, 8, 81, 97}), Shape({8, 1, 3, 3}), 1, 1},  // In rows.
      {Shape({3, 8, 161, 97}), Shape({8, 1, 5, 5}), 2, 2},
  };
  for (const Conv& conv : cases) ExpectTheSameBits(conv, true);
}

// With a residual and every other step.
struct FusedConv {
  Shape input, filter;
  int groups;
  int stride = 1, padding = 0, dilation = 1;
};

void ExpectTheSameBits(const FusedConv& c) {
  SCOPED_TRACE(ToString(c.input) + ToString(c.filter));
  const std::vector<int> strides(2, c.stride), paddings(2, c.padding),
      dilations(2, c.dilation);
  Shape out = c.input;
  out[1] = c.filter[0];
  for (int axis : {2, 3}) {
    const int64_t reach = (c.filter.extent(axis) - 1) * c.dilation + 1;
    out[axis] = (c.input.extent(axis) + 2 * c.padding - reach) / c.stride + 1;
  }
  const Shape one({1});
  ExpectTheSameBits(
      {"conv2d_epilogue",
       {RandomTensor<float>(c.input, -1, 1),
        RandomTensor<float>(c.filter, -0.2, 0.2, /*seed=*/2),
        RandomTensor<float>(Shape({c.filter[0]}), -1, 1),
        RandomTensor<float>(out, -1, 1, /*seed=*/3),
        RandomTensor<float>(one, 0.5, 2), RandomTensor<float>(one, -1, 1)},
       {absl::MakeConstSpan(strides), absl::MakeConstSpan(paddings), "EXPLICIT",
        absl::MakeConstSpan(dilations), c.groups,
        *ParsePostOps("post_ops", "hard_swish")}});
}

TEST(SplitTest, ConvolutionsWithAnEpilogue) {
  const FusedConv cases[] = {
      {Shape({1, 64, 28, 28}), Shape({96, 64, 3, 3}), 1, 1, 1},
      {Shape({1, 96, 20, 20}), Shape({128, 96, 1, 1}), 1},
      {Shape({2, 96, 40, 40}), Shape({96, 1, 3, 3}), 96, 1, 1},
      {Shape({6, 32, 20, 20}), Shape({48, 32, 3, 3}), 1, 1, 1},
      {Shape({1, 8, 41, 160}), Shape({32, 8, 1, 1}), 1},
  };
  for (const FusedConv& conv : cases) ExpectTheSameBits(conv);
}

// Their channels are one block, so their rows are cut.
TEST(SplitTest, ConvolutionsOfFewChannels) {
  const FusedConv cases[] = {
      {Shape({1, 8, 81, 97}), Shape({8, 8, 3, 3}), 1, 1, 1},
      {Shape({1, 8, 81, 97}), Shape({8, 8, 3, 3}), 1, 2, 1},
      {Shape({1, 8, 78, 97}), Shape({8, 8, 5, 5}), 1, 2, 2},
      {Shape({1, 8, 81, 97}), Shape({8, 8, 3, 3}), 1, 1, 2, 2},
      {Shape({1, 8, 81, 97}), Shape({8, 4, 3, 3}), 2, 1, 1},
      {Shape({1, 8, 81, 97}), Shape({8, 8, 1, 1}), 1},
      {Shape({1, 8, 161, 97}), Shape({8, 8, 1, 1}), 1, 2},
      {Shape({1, 3, 161, 97}), Shape({8, 3, 3, 3}), 1, 2, 1},
      {Shape({1, 16, 81, 57}), Shape({16, 16, 3, 3}), 1, 1, 1},
      {Shape({1, 16, 81, 97}), Shape({16, 16, 1, 1}), 1},
      {Shape({1, 16, 121, 97}), Shape({16, 16, 1, 1}), 1, 2},
      {Shape({1, 16, 81, 97}), Shape({16, 1, 3, 3}), 16, 2, 1},
      {Shape({2, 16, 81, 97}), Shape({16, 1, 5, 5}), 16, 1, 2},
  };
  for (const FusedConv& conv : cases) ExpectTheSameBits(conv);
}

TEST(SplitTest, Poolings) {
  const std::vector<int64_t> kernel = {2, 2};
  const std::vector<int> strides = {2, 2}, paddings = {0, 0};
  for (const Shape& shape : {Shape({1, 96, 80, 80}), Shape({3, 50, 80, 81}),
                             Shape({9, 32, 64, 64})}) {
    SCOPED_TRACE(ToString(shape));
    ExpectTheSameBits(
        {"pool2d",
         {RandomTensor<float>(shape)},
         {absl::MakeConstSpan(kernel), absl::MakeConstSpan(strides),
          absl::MakeConstSpan(paddings), false, true, "NCHW", "avg", false,
          false, "EXPLICIT"}});
  }
}

TEST(SplitTest, Reorders) {
  for (const Shape& shape : {Shape({1, 96, 80, 80}), Shape({2, 50, 80, 81}),
                             Shape({9, 8, 64, 64}), Shape({96, 96, 10, 10})}) {
    for (const char* layout : {"aBcd8b", "acdb", "ABcd8b8a", "strided"}) {
      SCOPED_TRACE(ToString(shape) + layout);
      ExpectTheSameBits({"reorder", {RandomTensor<float>(shape)}, {layout}});
    }
  }
}

TEST(SplitTest, Products) {
  struct Case {
    Shape x, y;
    bool transpose_x, transpose_y;
  };
  const Case cases[] = {
      {Shape({777, 128}), Shape({128, 100}), false, false},
      {Shape({128, 1024}), Shape({128, 64}), true, false},
      {Shape({1024, 64}), Shape({96, 64}), false, true},
      {Shape({12, 128, 64}), Shape({12, 64, 128}), false, false},
      {Shape({1, 60, 128}), Shape({30, 128, 64}), false, false},
      {Shape({64}), Shape({64, 4096}), false, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(ToString(c.x) + ToString(c.y));
    const KernelCase call = {"matmul",
                             {RandomTensor<float>(c.x, -1, 1),
                              RandomTensor<float>(c.y, -1, 1, /*seed=*/2)},
                             {c.transpose_x, c.transpose_y}};
    ExpectTheSameBits(call);
    CheckAgainstReference(call, {1e-3, 1e-5});
  }
}

TEST(SplitTest, Normalizations) {
  ExpectTheSameBits(
      {"layer_norm",
       {RandomTensor<float>(Shape({1023, 768})),
        RandomTensor<float>(Shape({768})), RandomTensor<float>(Shape({768}))},
       {1e-5f, 1}});
}

TEST(SplitTest, PartsAreEvenAndLargeEnough) {
  EXPECT_EQ(OnednnParts(1, 1e6), 1);
  EXPECT_EQ(OnednnParts(64, 1e6), 16);
  EXPECT_EQ(OnednnParts(7, 1e6), 6);
  EXPECT_EQ(OnednnParts(12, 1e6, 3), 4);
  EXPECT_EQ(OnednnParts(3, 1e6, 3), 2);  // Two threads, though parts are small.
  EXPECT_EQ(OnednnParts(64, 39), 1);
  EXPECT_EQ(OnednnParts(64, 40), 2);
  EXPECT_EQ(OnednnParts(64, 119), 4);
}

// Returns where a cut begins: at each block of channels of each image.
std::set<const char*> Reached(const ImageSplit& split, size_t buffer) {
  const OnednnBuffer& tensor = split.buffers[buffer];
  const int64_t blocks =
      (split.split.extent + split.split.block - 1) / split.split.block;
  std::set<const char*> reached;
  for (int64_t item = 0; item < split.split.items; ++item) {
    for (int64_t block = 0; block < blocks; ++block) {
      reached.insert(static_cast<const char*>(tensor.data) +
                     item * tensor.item_bytes + block * tensor.block_bytes);
    }
  }
  return reached;
}

TEST(SplitTest, ImagesAreCutWhereChannelsLieApart) {
  const Shape shape({2, 40, 30, 30});
  const auto desc = [&](const char* layout) {
    return onednn::MakeDesc(shape, *ParseLayoutDescriptor(layout),
                            onednn::SameAxes(4));
  };
  char data[1];
  const ImageSplit blocked = SplitImages(
      2, 40, {1000, 8}, {{data, desc("aBcd8b")}, {data, desc("strided")}});
  EXPECT_EQ(blocked.axis, ImageSplit::Axis::kChannels);
  EXPECT_EQ(blocked.split.block, 8);
  EXPECT_EQ(blocked.split.parts, 4);
  EXPECT_EQ(Reached(blocked, 0), Reached(blocked, 1));
  EXPECT_EQ(Reached(blocked, 0).size(), 10u);
  // With the channels last each part would have a piece of every pixel.
  const ImageSplit last = SplitImages(
      2, 40, {1000, 8}, {{data, desc("acdb")}, {data, desc("aBcd8b")}});
  EXPECT_EQ(last.axis, ImageSplit::Axis::kImages);
  EXPECT_EQ(last.split.parts, 2);
  // Blocks of images can't be taken apart.
  const ImageSplit filters = SplitImages(
      2, 40, {1000, 8}, {{data, desc("ABcd8b8a")}, {data, desc("strided")}});
  EXPECT_EQ(filters.split.parts, 1);
  EXPECT_FALSE(FindBlocks(desc("acdb"), 1, 1).has_value());
  EXPECT_EQ(FindBlocks(desc("acdb"), 0, 0)->bytes, 40 * 30 * 30 * 4);
}

// Returns the cut of an image of 8 channels, and of its results, in layouts.
ImageSplit SplitRows(const WindowAxis& rows, const char* from, const char* to) {
  static char data[1];
  const auto desc = [&](int64_t height, const char* layout) {
    return onednn::MakeDesc(Shape({1, 8, height, 30}),
                            *ParseLayoutDescriptor(layout),
                            onednn::SameAxes(4));
  };
  const onednn::SplitTensor image = {data, desc(rows.input, from), 0, -1, true};
  return SplitImages(1, 1, {80}, {image, {data, desc(rows.output, to)}}, &rows);
}

TEST(SplitTest, RowsAreCutWhereChannelsAreOneBlock) {
  // Windows of 3 rows, 2 apart, with a row of padding before the image.
  const WindowAxis rows = {41, 3, 2, 1, 1, 1, 21};
  const ImageSplit cut = SplitRows(rows, "acdb", "aBcd8b");
  ASSERT_EQ(cut.axis, ImageSplit::Axis::kRows);
  EXPECT_EQ(cut.split.extent, 21);
  EXPECT_EQ(cut.split.parts, 4);
  constexpr int64_t kRow = 8 * 30 * sizeof(float);
  EXPECT_EQ(cut.buffers[0].block_bytes, 2 * kRow);
  EXPECT_EQ(cut.buffers[0].early_bytes, kRow);
  EXPECT_EQ(cut.buffers[1].block_bytes, kRow);
  EXPECT_EQ(cut.buffers[1].early_bytes, 0);
  EXPECT_TRUE(cut.split.first_alone);
  EXPECT_TRUE(cut.split.last_alone);
  const WindowAxis first = cut.Rows({1, 6, true, false}, rows);
  EXPECT_EQ(first.input, 12);  // Windows begin at -1, 1, ... 9.
  EXPECT_EQ(first.before, 1);
  EXPECT_EQ(first.after, 0);
  const WindowAxis middle = cut.Rows({1, 5, false, false}, rows);
  EXPECT_EQ(middle.input, 11);
  EXPECT_EQ(middle.before, 0);
  const WindowAxis last = cut.Rows({1, 5, false, true}, rows);
  EXPECT_EQ(last.input, 10);
  EXPECT_EQ(last.after, 1);
  EXPECT_EQ(cut.Rows({1, 21, true, true}, rows).input, 41);
}

TEST(SplitTest, RowsStayTogetherWherePartsWouldDiffer) {
  const WindowAxis rows = {40, 3, 1, 1, 1, 1, 40};
  EXPECT_EQ(SplitRows(rows, "acdb", "acdb").split.parts, 4);
  // Rows of one channel lie between those of another.
  EXPECT_EQ(SplitRows(rows, "strided", "acdb").split.parts, 1);
  EXPECT_EQ(SplitRows(rows, "acdb", "aBcd4b").split.parts, 1);
  // The second part would read padding too.
  const WindowAxis wide = {40, 3, 1, 12, 12, 12, 40};
  EXPECT_EQ(SplitRows(wide, "acdb", "acdb").split.parts, 1);
  // Every other row is skipped.
  const WindowAxis sparse = {40, 1, 2, 1, 0, 0, 20};
  EXPECT_EQ(SplitRows(sparse, "acdb", "acdb").split.parts, 1);
}

}  // namespace
}  // namespace switchyard::phi::kernels

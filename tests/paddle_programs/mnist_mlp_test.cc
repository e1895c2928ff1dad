// SPDX-License-Identifier: Apache-2.0
// A perceptron that Paddle 2.1 trained on MNIST: accuracy 0.9724 on the 10,000
// test images, with kernels of our own and with the guests among them.
#include <algorithm>
#include <string>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"
#include "tests/paddle_programs/run_program.h"

namespace switchyard {
namespace {

constexpr char kModel[] = "../shared_data/models/mnist_mlp_scl1323";
constexpr char kData[] = "../shared_data/mnist/";
constexpr int64_t kImages = 10000;
constexpr int64_t kPixels = 28 * 28;
constexpr int64_t kDigits = 10;
// idx files: a magic number and the extents, 4 bytes each.
constexpr size_t kImageHeader = 16;
constexpr size_t kLabelHeader = 8;

// float32[10000, 1, 28, 28], pixel / 255 * 2 - 1.
absl::StatusOr<DenseTensor> Images() {
  SY_ASSIGN_OR_RETURN(
      const std::string bytes,
      ReadInflated(std::string(kData) + "t10k-images-idx3-ubyte.gz"));
  if (bytes.size() != kImageHeader + kImages * kPixels) {
    return absl::DataLossError("the images have another size");
  }
  DenseTensor images = EmptyTensor(DataType::kFloat32, {kImages, 1, 28, 28});
  float* to = images.mutable_data<float>();
  for (int64_t i = 0; i < kImages * kPixels; ++i) {
    const auto pixel = static_cast<uint8_t>(bytes[kImageHeader + i]);
    to[i] = static_cast<float>(pixel) / 255.0f * 2.0f - 1.0f;
  }
  return images;
}

// How many rows of `scores` have their greatest element at the label.
int64_t CountRight(const float* scores, const std::string& labels) {
  int64_t right = 0;
  for (int64_t i = 0; i < kImages; ++i) {
    const float* row = scores + i * kDigits;
    right +=
        std::max_element(row, row + kDigits) - row == labels[kLabelHeader + i];
  }
  return right;
}

void ExpectAccuracy(const static_graph::CompileOptions& options) {
  auto runnable = LoadForRuns(kModel, options);
  ASSERT_THAT(runnable, IsOk());
  const auto images = Images();
  ASSERT_THAT(images, IsOk());
  const auto labels =
      ReadInflated(std::string(kData) + "t10k-labels-idx1-ubyte.gz");
  ASSERT_THAT(labels, IsOk());
  ASSERT_EQ(labels->size(), kLabelHeader + kImages);
  const auto fetches =
      runnable->program->Run({{"image", *images}}, &runnable->state);
  ASSERT_THAT(fetches, IsOk());
  ASSERT_EQ(fetches->size(), 1u);
  const DenseTensor& scores = (*fetches)[0].tensor;
  ASSERT_EQ(scores.shape(), (Shape{kImages, kDigits}));
  EXPECT_EQ(CountRight(scores.data<float>(), *labels), 9724);
}

TEST(MnistMlp, ReachesItsAccuracy) { ExpectAccuracy({}); }

TEST(MnistMlp, ReachesItWithOurOwnKernelsOnly) {
  static_graph::CompileOptions options;
  options.lowering.policy.origin = phi::KernelOrigin::kPhi;
  ExpectAccuracy(options);
}

}  // namespace
}  // namespace switchyard

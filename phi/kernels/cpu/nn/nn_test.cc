// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

using ::testing::HasSubstr;

std::vector<AttrRef> CrossEntropyAttrs(bool soft, bool use_softmax, int ignore,
                                       int axis) {
  return {soft, use_softmax, true, ignore, axis};
}

// Forward and backward of one kind of label.
void CheckCrossEntropy(const DenseTensor& input, const DenseTensor& label,
                       const std::vector<AttrRef>& attrs) {
  const KernelCase forward{"cross_entropy_with_softmax", {input, label}, attrs};
  CheckAgainstReference(forward, {1e-5, 1e-5});
  const auto outputs = RunKernel(forward, "reference");
  ASSERT_THAT(outputs, IsOk());
  const DenseTensor& loss = (*outputs)[1];
  const DenseTensor grad = loss.dtype() == DataType::kFloat32
                               ? RandomTensor<float>(loss.shape())
                               : RandomTensor<double>(loss.shape());
  CheckAgainstReference({"cross_entropy_with_softmax_grad",
                         {label, (*outputs)[0], grad, input},
                         attrs},
                        {1e-5, 1e-5});
}

TEST(CrossEntropyTest, AgreesWithReference) {
  for (const bool use_softmax : {true, false}) {
    const auto attrs = CrossEntropyAttrs(false, use_softmax, 3, -1);
    CheckCrossEntropy(RandomTensor<float>(Shape({20, 10}), 0.1, 1),
                      RandomTensor<int64_t>(Shape({20}), 0, 10), attrs);
    CheckCrossEntropy(RandomTensor<double>(Shape({20, 10}), 0.1, 1),
                      RandomTensor<int32_t>(Shape({20, 1}), 0, 10), attrs);
    const auto soft = CrossEntropyAttrs(true, use_softmax, -100, 1);
    CheckCrossEntropy(RandomTensor<float>(Shape({4, 7, 3}), 0.1, 1),
                      RandomTensor<float>(Shape({4, 7, 3}), 0, 1), soft);
  }
  CheckCrossEntropy(RandomTensor<float>(Shape({600, 100}), -30, 30),
                    RandomTensor<int64_t>(Shape({600, 1}), 0, 100),
                    CrossEntropyAttrs(false, true, -100, -1));
  CheckCrossEntropy(RandomTensor<float>(Shape({0, 10})),
                    RandomTensor<int64_t>(Shape({0})),
                    CrossEntropyAttrs(false, true, -100, -1));
}

TEST(CrossEntropyTest, ChecksLabelsBeforeItWrites) {
  const KernelCase call{"cross_entropy_with_softmax",
                        {RandomTensor<float>(Shape({2, 3})),
                         MakeTensor<int64_t>(Shape({2}), {0, 3})},
                        CrossEntropyAttrs(false, true, -100, -1)};
  for (const char* backend : {"reference", "cpu"}) {
    auto outputs = Outputs(call);
    ASSERT_THAT(outputs, IsOk());
    const auto untouched = ToVector<float>((*outputs)[0]);
    EXPECT_THAT(Launch(*FindKernel(call, backend), call, &*outputs),
                StatusIs(absl::StatusCode::kOutOfRange,
                         HasSubstr("label must be in [0, 3)")));
    EXPECT_EQ(ToVector<float>((*outputs)[0]), untouched);
  }
}

TEST(AccuracyTest, AgreesWithReference) {
  for (const int64_t rows : {0, 1, 50}) {
    CheckAgainstReference({"accuracy",
                           {RandomTensor<float>(Shape({rows, 3})),
                            RandomTensor<int64_t>(Shape({rows, 3}), 0, 6),
                            RandomTensor<int32_t>(Shape({rows, 1}), 0, 6)}},
                          {1e-6, 1e-6});
  }
}

TEST(DropoutTest, DrawsTheSameNumbers) {
  const DenseTensor rng = MakeTensor<int64_t>(Shape({2}), {42, 7});
  for (const char* mode : {"upscale_in_train", "downgrade_in_infer"}) {
    for (const bool is_test : {false, true}) {
      for (const float p : {0.f, 0.3f, 1.f}) {
        for (const Shape& shape : {Shape({0}), Shape({9}), Shape({300, 71})}) {
          const std::vector<AttrRef> attrs = {p, is_test, mode, int64_t{3}};
          const KernelCase call{
              "dropout", {RandomTensor<float>(shape), rng}, attrs};
          CheckAgainstReference(call, {1e-6, 1e-6});
          CheckAgainstReference(
              {"dropout", {RandomTensor<double>(shape), rng}, attrs},
              {1e-7, 1e-7});
          const auto outputs = RunKernel(call, "reference");
          CheckAgainstReference({"dropout_grad",
                                 {(*outputs)[1], RandomTensor<float>(shape)},
                                 {p, is_test, mode}},
                                {1e-6, 1e-6});
        }
      }
    }
  }
}

TEST(EmbeddingTest, AgreesWithReference) {
  const DenseTensor weight = RandomTensor<float>(Shape({11, 7}));
  for (const int64_t padding : {-1, 4}) {
    const std::vector<AttrRef> attrs = {padding, false};
    const DenseTensor x = RandomTensor<int64_t>(Shape({5, 6}), 0, 11);
    CheckAgainstReference({"embedding", {x, weight}, attrs});
    CheckAgainstReference({"embedding_grad",
                           {x, weight, RandomTensor<float>(Shape({5, 6, 7}))},
                           attrs},
                          {1e-6, 1e-6});
    CheckAgainstReference({"embedding",
                           {RandomTensor<int32_t>(Shape({3}), 0, 11), weight},
                           attrs});
  }
}

// 500 gradients a row: as sums of float16 they would be far off.
TEST(EmbeddingTest, SumsGradientsOfHalvesInFloat) {
  const DenseTensor x = RandomTensor<int64_t>(Shape({1000}), 0, 2);
  CheckAgainstReference({"embedding_grad",
                         {x, RandomTensor<float16>(Shape({2, 3})),
                          RandomTensor<float16>(Shape({1000, 3}), 0.5, 1)},
                         {int64_t{-1}, false}},
                        {1e-3, 1e-3});
  CheckAgainstReference({"embedding_grad",
                         {x, RandomTensor<bfloat16>(Shape({2, 3})),
                          RandomTensor<bfloat16>(Shape({1000, 3}), 0.5, 1)},
                         {int64_t{-1}, false}},
                        {8e-3, 1e-3});
}

TEST(EmbeddingTest, ChecksIndicesBeforeItWrites) {
  const KernelCase call{"embedding",
                        {MakeTensor<int64_t>(Shape({2}), {0, 11}),
                         RandomTensor<float>(Shape({11, 7}))},
                        {int64_t{-1}, false}};
  for (const char* backend : {"reference", "cpu"}) {
    EXPECT_THAT(RunKernel(call, backend),
                StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("[0, 11)")));
  }
}

TEST(RandomTest, DrawsTheSameNumbers) {
  const DenseTensor rng = MakeTensor<int64_t>(Shape({2}), {42, 7});
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{}, {0}, {13}, {41, 333}}) {
    const absl::Span<const int64_t> attr = shape;
    for (const DataType dtype : {DataType::kFloat16, DataType::kBFloat16,
                                 DataType::kFloat32, DataType::kFloat64}) {
      for (const char* op : {"uniform", "gaussian"}) {
        CheckAgainstReference(
            {op, {rng}, {attr, -1.5f, 2.f, dtype, int64_t{1}}}, {1e-6, 1e-6});
      }
    }
    for (const auto& [low, high] : {std::pair<int64_t, int64_t>{-3, 4},
                                    {0, 1},
                                    {-2147483648, 2147483648},
                                    {INT64_MIN, INT64_MAX}}) {
      if (high < (int64_t{1} << 32)) {
        CheckAgainstReference(
            {"randint",
             {rng},
             {low, high, attr, DataType::kInt32, int64_t{1}}});
      }
      CheckAgainstReference(
          {"randint", {rng}, {low, high, attr, DataType::kInt64, int64_t{1}}});
    }
  }
}

TEST(RandomTest, StaysBelowTheMaximum) {
  const DenseTensor rng = MakeTensor<int64_t>(Shape({2}), {42, 7});
  const std::vector<int64_t> shape = {20000};
  for (const auto& [min, max] : {std::pair{0.f, 1.f},
                                 {-1.f, 0.f},
                                 {-3.f, -2.f},
                                 {1e8f, 1e8f + 8},
                                 {1.f, 1.999f},
                                 {2.f, 2.f}}) {
    for (const DataType dtype : {DataType::kFloat16, DataType::kBFloat16,
                                 DataType::kFloat32, DataType::kFloat64}) {
      const bool half =
          dtype == DataType::kFloat16 || dtype == DataType::kBFloat16;
      if (half && max > 1e8f) continue;  // Nothing of it is in between.
      const KernelCase call = {
          "uniform",
          {rng},
          {absl::Span<const int64_t>(shape), min, max, dtype, int64_t{1}}};
      CheckAgainstReference(call, {1e-6, 1e-6});
      const auto out = RunKernel(call, "cpu");
      ASSERT_THAT(out, IsOk());
      if (min >= max) continue;
      for (const double value : ToDoubles((*out)[0])) {
        ASSERT_LT(value, max) << Name(dtype);
      }
    }
  }
}

TEST(RandomTest, SpreadsIntegersEvenly) {
  const DenseTensor rng = MakeTensor<int64_t>(Shape({2}), {42, 7});
  const std::vector<int64_t> shape = {60000};
  const auto out =
      RunKernel({"randint",
                 {rng},
                 {int64_t{-2}, int64_t{4}, absl::Span<const int64_t>(shape),
                  DataType::kInt32, int64_t{0}}},
                "cpu");
  ASSERT_THAT(out, IsOk());
  std::map<int32_t, int> counts;
  for (const int32_t value : ToVector<int32_t>((*out)[0])) ++counts[value];
  ASSERT_EQ(counts.size(), 6u);
  EXPECT_EQ(counts.begin()->first, -2);
  // 10000 of each, 91 the standard deviation.
  for (const auto& [value, count] : counts) EXPECT_NEAR(count, 10000, 400);
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu

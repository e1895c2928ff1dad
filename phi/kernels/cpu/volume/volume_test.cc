// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

using Numbers = std::vector<int>;

struct ConvCase {
  Shape input, filter;  // Of the transposed one: x and its filter.
  int groups = 1;
  Numbers strides = {1, 1, 1};
  Numbers paddings = {0, 0, 0};
  Numbers dilations = {1, 1, 1};
  const char* algorithm = "EXPLICIT";
  const char* format = "NCDHW";
};

template <typename T>
void CheckBoth(std::string_view op, const DenseTensor& x,
               const DenseTensor& filter, const std::vector<AttrRef>& attrs,
               Tolerance tolerance) {
  const KernelCase forward{op, {x, filter}, attrs};
  CheckAgainstReference(forward, tolerance);
  const auto outputs = Outputs(forward);
  ASSERT_THAT(outputs, IsOk());
  const DenseTensor grad = RandomTensor<T>((*outputs)[0].shape(), -1, 1, 3);
  const std::string backward = std::string(op) + "_grad";
  CheckAgainstReference({backward, {x, filter, grad}, attrs}, tolerance);
}

template <typename T>
void CheckConv(const ConvCase& c, Tolerance tolerance) {
  SCOPED_TRACE(ToString(c.input));
  CheckBoth<T>(
      "conv3d", RandomTensor<T>(c.input), RandomTensor<T>(c.filter, -1, 1, 2),
      {absl::MakeConstSpan(c.strides), absl::MakeConstSpan(c.paddings),
       c.algorithm, c.groups, absl::MakeConstSpan(c.dilations), c.format},
      tolerance);
}

TEST(Conv3dTest, AgreesWithReference) {
  const ConvCase kCases[] = {
      {Shape({2, 3, 4, 5, 6}), Shape({4, 3, 3, 2, 3})},
      {Shape({1, 4, 5, 5, 4}), Shape({6, 2, 2, 3, 2}), 2, {2, 1, 2}},
      {Shape({1, 2, 6, 5, 7}),
       Shape({2, 1, 3, 3, 3}),
       2,
       {1, 2, 1},
       {1, 0, 2, 1, 1, 0},
       {2, 1, 2}},
      {Shape({2, 4, 5, 3, 3}),
       Shape({2, 3, 2, 2, 2}),
       1,
       {2, 2, 1},
       {0, 0, 0},
       {1, 1, 1},
       "SAME",
       "NDHWC"},
      {Shape({1, 5, 5, 6, 4}),
       Shape({4, 2, 3, 2, 3}),
       2,
       {1, 1, 1},
       {1, 1, 1},
       {1, 1, 1},
       "VALID",
       "NDHWC"},
      // More slices than fit at a time.
      {Shape({1, 8, 12, 30, 26}), Shape({2, 8, 3, 3, 3})},
      {Shape({0, 3, 4, 4, 4}), Shape({2, 3, 2, 2, 2})},
      {Shape({2, 0, 4, 4, 4}), Shape({2, 0, 2, 2, 2})},
  };
  for (const ConvCase& c : kCases) {
    CheckConv<float>(c, {2e-4, 2e-4});
    CheckConv<double>(c, {1e-11, 1e-11});
  }
}

template <typename T>
void CheckTransposed(const ConvCase& c, const Numbers& more,
                     Tolerance tolerance) {
  SCOPED_TRACE(ToString(c.input));
  const Numbers none;
  const DenseTensor x = RandomTensor<T>(c.input);
  const DenseTensor filter = RandomTensor<T>(c.filter, -1, 1, 2);
  CheckBoth<T>(
      "conv3d_transpose", x, filter,
      {absl::MakeConstSpan(c.strides), absl::MakeConstSpan(c.paddings),
       absl::MakeConstSpan(more), absl::MakeConstSpan(none), c.algorithm,
       c.groups, absl::MakeConstSpan(c.dilations), c.format},
      tolerance);
}

TEST(Conv3dTransposeTest, AgreesWithReference) {
  const ConvCase plain = {
      Shape({2, 3, 3, 4, 2}), Shape({3, 2, 2, 3, 2}), 1, {2, 1, 3}};
  const ConvCase grouped = {Shape({1, 4, 3, 3, 4}),
                            Shape({4, 3, 3, 2, 2}),
                            2,
                            {2, 2, 1},
                            {1, 0, 1},
                            {1, 2, 1}};
  const ConvCase last = {Shape({1, 3, 4, 2, 3}),
                         Shape({3, 2, 2, 2, 2}),
                         1,
                         {1, 1, 1},
                         {0, 0, 0},
                         {1, 1, 1},
                         "SAME",
                         "NDHWC"};
  CheckTransposed<float>(plain, {1, 0, 2}, {1e-4, 1e-4});
  CheckTransposed<double>(grouped, {}, {1e-11, 1e-11});
  CheckTransposed<double>(last, {}, {1e-11, 1e-11});
}

struct PoolCase {
  Shape x;
  std::vector<int64_t> kernel;
  Numbers strides = {1, 1, 1};
  Numbers paddings = {0, 0, 0};
  bool ceil_mode = false, exclusive = true;
  const char* format = "NCDHW";
  bool global = false, adaptive = false;
  const char* algorithm = "EXPLICIT";
};

const PoolCase kPoolCases[] = {
    {Shape({2, 3, 4, 5, 6}), {2, 3, 2}, {2, 1, 2}},
    {Shape({1, 2, 5, 6, 5}), {3, 2, 3}, {2, 2, 1}, {1, 0, 1}, true, false},
    {Shape({1, 5, 4, 5, 3}),
     {2, 2, 2},
     {1, 1, 1},
     {1, 0, 0, 1, 1, 1},
     false,
     false,
     "NDHWC"},
    {Shape({1, 2, 5, 4, 7}),
     {2, 3, 4},
     {1, 1, 1},
     {0, 0, 0},
     false,
     true,
     "NCDHW",
     false,
     true},
    {Shape({2, 2, 3, 4, 2}),
     {1, 1, 1},
     {1, 1, 1},
     {0, 0, 0},
     false,
     true,
     "NCDHW",
     true},
    {Shape({1, 5, 5, 4, 2}),
     {3, 2, 2},
     {2, 2, 2},
     {0, 0, 0},
     false,
     true,
     "NDHWC",
     false,
     false,
     "SAME"},
    {Shape({0, 2, 3, 3, 3}), {2, 2, 2}},
};

TEST(Pool3dTest, AgreesWithReference) {
  for (const PoolCase& c : kPoolCases) {
    SCOPED_TRACE(ToString(c.x));
    for (const char* type : {"max", "avg"}) {
      const std::vector<AttrRef> attrs = {absl::MakeConstSpan(c.kernel),
                                          absl::MakeConstSpan(c.strides),
                                          absl::MakeConstSpan(c.paddings),
                                          c.ceil_mode,
                                          c.exclusive,
                                          c.format,
                                          type,
                                          c.global,
                                          c.adaptive,
                                          c.algorithm};
      const DenseTensor x = RandomTensor<float>(c.x);
      const KernelCase forward{"pool3d", {x}, attrs};
      CheckAgainstReference(forward, {1e-5, 1e-5});
      const auto outputs = RunKernel(forward, "reference");
      ASSERT_THAT(outputs, IsOk());
      const DenseTensor& out = (*outputs)[0];
      CheckAgainstReference(
          {"pool3d_grad",
           {x, out, RandomTensor<float>(out.shape(), -1, 1, 3)},
           attrs},
          {1e-5, 1e-5});
    }
  }
}

TEST(UnpoolTest, UndoesPoolingWithPositions) {
  const Numbers kernel = {2, 3}, strides = {2, 3}, paddings = {0, 0};
  const std::vector<int64_t> size = {4, 6};
  const std::vector<AttrRef> attrs = {absl::MakeConstSpan(kernel),
                                      absl::MakeConstSpan(strides),
                                      absl::MakeConstSpan(paddings),
                                      false,
                                      false,
                                      false};
  const DenseTensor x = RandomTensor<float>(Shape({2, 3, 4, 6}));
  const KernelCase pool{"max_pool2d_with_index", {x}, attrs};
  CheckAgainstReference(pool, {0, 0});
  const auto pooled = RunKernel(pool, "cpu");
  ASSERT_THAT(pooled, IsOk());
  CheckAgainstReference(
      {"max_pool2d_with_index_grad", {x, (*pooled)[1], (*pooled)[0]}, attrs},
      {0, 0});
  const KernelCase back{
      "unpool",
      {(*pooled)[0], (*pooled)[1]},
      {absl::MakeConstSpan(kernel), absl::MakeConstSpan(strides),
       absl::MakeConstSpan(paddings), absl::MakeConstSpan(size), "NCHW"}};
  CheckAgainstReference(back, {0, 0});
  const auto whole = RunKernel(back, "cpu");
  ASSERT_THAT(whole, IsOk());
  const std::vector<double> before = ToDoubles(x),
                            after = ToDoubles((*whole)[0]);
  int kept = 0;
  for (size_t i = 0; i < after.size(); ++i) {
    if (after[i] == 0) continue;
    EXPECT_EQ(after[i], before[i]);
    ++kept;
  }
  EXPECT_EQ(kept, 2 * 3 * 2 * 2);
  CheckAgainstReference({"unpool_grad",
                         {(*pooled)[0], (*pooled)[1], x},
                         {absl::MakeConstSpan(size), "NCHW"}},
                        {0, 0});
}

TEST(UnpoolTest, PositionsAreCheckedBeforeAnythingIsWritten) {
  const Numbers kernel = {2, 2}, strides = {2, 2}, paddings = {0, 0};
  const std::vector<int64_t> size = {2, 2};
  for (const int64_t position : {-1, 4}) {
    const KernelCase call{
        "unpool",
        {RandomTensor<float>(Shape({1, 1, 1, 1})),
         MakeTensor<int64_t>(Shape({1, 1, 1, 1}), {position})},
        {absl::MakeConstSpan(kernel), absl::MakeConstSpan(strides),
         absl::MakeConstSpan(paddings), absl::MakeConstSpan(size), "NCHW"}};
    for (const char* backend : {"reference", "cpu"}) {
      EXPECT_THAT(RunKernel(call, backend),
                  StatusIs(absl::StatusCode::kOutOfRange,
                           ::testing::HasSubstr("indices must be in [0, 4)")));
    }
  }
}

TEST(UnfoldTest, AgreesWithReference) {
  const Numbers kernel = {2, 3}, strides = {2, 1}, paddings = {1, 0, 0, 2};
  const Numbers dilations = {1, 2}, size = {5, 7};
  const std::vector<AttrRef> attrs = {
      absl::MakeConstSpan(kernel), absl::MakeConstSpan(strides),
      absl::MakeConstSpan(paddings), absl::MakeConstSpan(dilations)};
  const DenseTensor x = RandomTensor<double>(Shape({2, 3, 5, 7}));
  const KernelCase unfold{"unfold", {x}, attrs};
  CheckAgainstReference(unfold, {0, 0});
  const auto columns = RunKernel(unfold, "cpu");
  ASSERT_THAT(columns, IsOk());
  CheckAgainstReference({"unfold_grad", {x, (*columns)[0]}, attrs},
                        {1e-12, 1e-12});
  std::vector<AttrRef> fold = {absl::MakeConstSpan(size)};
  fold.insert(fold.end(), attrs.begin(), attrs.end());
  CheckAgainstReference({"fold", {(*columns)[0]}, fold}, {1e-12, 1e-12});
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu

// SPDX-License-Identifier: Apache-2.0
#include "phi/core/anomaly/anomaly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "framework/tensor/selected_rows.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"

namespace switchyard::phi {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr InputInfo kInputs[] = {{"x"}, {"y", /*optional=*/true}};
constexpr AttrInfo kAttrs[] = {{"value", AttrType::kDouble}};
constexpr OutputInfo kOutputs[] = {{"out"}};
constexpr OpInfo MakeOp(absl::Span<const InputInfo> inputs,
                        absl::Span<const OutputInfo> outputs) {
  return {"op", inputs, kAttrs, outputs, nullptr, {}, {}};
}
constexpr OpInfo kOp = MakeOp(kInputs, kOutputs);

DenseTensor Doubles(std::initializer_list<double> values) {
  return MakeTensor<double>({static_cast<int64_t>(values.size())}, values);
}

// The check of a call that made `out` of `x` and `y`, which may be null.
absl::Status Check(const TensorBase* x, const TensorBase* y,
                   const TensorBase* out, double value = 0,
                   const OpInfo& op = kOp) {
  const TensorBase* const inputs[] = {x, y};
  const AttrRef attrs[] = {value};
  AnomalyCheck check(op, inputs, attrs);
  const TensorBase* const outputs[] = {out};
  return check.CheckOutputs(outputs);
}

TEST(AnomalyCheckTest, NamesWhatFiniteNumbersBecame) {
  DenseTensor x = Doubles({1, -2}), y = Doubles({0, 3});
  DenseTensor out = Doubles({kInf, 1});
  const absl::Status status = Check(&x, &y, &out);
  EXPECT_TRUE(IsAnomaly(status));
  EXPECT_EQ(status.message(),
            "out has infinity at [0], though x (from -2 to 1) and y (from 0 to "
            "3) are finite");
  out = Doubles({1, kNan});
  EXPECT_EQ(Check(&x, nullptr, &out).message(),
            "out has NaN at [1], though x (from -2 to 1) is finite");
  out = Doubles({1, 2});
  EXPECT_THAT(Check(&x, &y, &out), IsOk());
}

TEST(AnomalyCheckTest, InfinityMayGoOnButNotBecomeNan) {
  DenseTensor x = Doubles({kInf}), y = Doubles({1}), out = Doubles({kInf});
  EXPECT_THAT(Check(&x, &y, &out), IsOk());
  out = Doubles({kNan});
  EXPECT_EQ(Check(&x, &y, &out).message(),
            "out has NaN at [0], though x (infinite in places) and y (from 1 "
            "to 1) have none");
  y = Doubles({kNan});
  EXPECT_THAT(Check(&x, &y, &out), IsOk());
}

TEST(AnomalyCheckTest, AttributesCountAndCallsOfNothingDoNot) {
  DenseTensor x = Doubles({1}), out = Doubles({kInf});
  EXPECT_THAT(Check(&x, nullptr, &out, -kInf), IsOk());
  EXPECT_FALSE(Check(&x, nullptr, &out, 3).ok());
  EXPECT_THAT(Check(nullptr, nullptr, &out), IsOk());
}

TEST(AnomalyCheckTest, MetadataAndIntermediateOutputsDoNotCount) {
  static constexpr InputInfo kMetadata[] = {
      {"x", false, false, /*no_need_buffer=*/true}, {"y", true}};
  static constexpr OpInfo kLike = MakeOp(kMetadata, kOutputs);
  DenseTensor x = Doubles({1}), out = Doubles({kNan});
  EXPECT_THAT(Check(&x, nullptr, &out, 0, kLike), IsOk());
  static constexpr OutputInfo kHidden[] = {
      {"saved", false, false, /*intermediate=*/true}};
  static constexpr OpInfo kSaves = MakeOp(kInputs, kHidden);
  EXPECT_THAT(Check(&x, nullptr, &out, 0, kSaves), IsOk());
}

TEST(AnomalyCheckTest, ReadsBeforeACallWritesOver) {
  DenseTensor x = Doubles({0});
  const TensorBase* const inputs[] = {&x, nullptr};
  const AttrRef attrs[] = {0.0};
  AnomalyCheck check(kOp, inputs, attrs);
  ASSERT_THAT(check.ReadInputs(), IsOk());
  x.mutable_data<double>()[0] = -kInf;
  const TensorBase* const outputs[] = {&x};
  EXPECT_EQ(check.CheckOutputs(outputs).message(),
            "out has infinity at [0], though x (from 0 to 0) is finite");
}

TEST(AnomalyCheckTest, HasOnePlace) {
  DenseTensor x = Doubles({1}), out = Doubles({kNan});
  absl::Status status = Check(&x, nullptr, &out);
  EXPECT_FALSE(IsPlacedAnomaly(status));
  status = PlaceAnomaly(PlaceAnomaly(status, " (at a.py:1)"), " (at b.py:2)");
  EXPECT_TRUE(IsPlacedAnomaly(status));
  EXPECT_EQ(status.message(),
            "out has NaN at [0], though x (from 1 to 1) is finite (at a.py:1)");
  const absl::Status other = absl::InternalError("other");
  EXPECT_EQ(PlaceAnomaly(other, " (at a.py:1)"), other);
}

TEST(NumberRangeTest, ReadsStridesDtypesAndOtherKinds) {
  const DenseTensor base =
      MakeTensorOf(DataType::kFloat16, {2, 3}, {1, -2, kNan, 4, kInf, 0.5});
  const NumberRange range = *RangeOf(TransposedView(base, {1, 0}));
  EXPECT_EQ(range.least, -2);
  EXPECT_EQ(range.greatest, 4);
  EXPECT_EQ(range.first_nan, 4);  // [2, 0] of 3 rows of 2.
  EXPECT_EQ(range.first_infinity, 3);
  const DenseTensor parts = MakeTensor<std::complex<float>>(
      {1}, {std::complex<float>(2, static_cast<float>(kInf))});
  EXPECT_EQ((*RangeOf(parts)).first_infinity, 0);
  EXPECT_EQ((*RangeOf(parts)).greatest, 2);
  EXPECT_TRUE((*RangeOf(MakeTensor<int64_t>({1}, {7}))).finite());
  const SelectedRows rows(9, std::vector<int64_t>{4},
                          MakeTensor<float>({1, 1}, {NAN}));
  EXPECT_TRUE((*RangeOf(rows)).has_nan());
}

TEST(NumberRangeTest, ReadsTheCodesOfStorageTypes) {
  DenseTensor x = EmptyTensor(DataType::kFloat8E5M2, {4});
  const uint8_t codes[] = {0x3c, 0xfc, 0x7e, 0xc0};  // 1, -inf, NaN, -2.
  std::copy_n(codes, 4, x.mutable_data<uint8_t>());
  const NumberRange range = *RangeOf(x);
  EXPECT_EQ(range.least, -2);
  EXPECT_EQ(range.greatest, 1);
  EXPECT_EQ(range.first_infinity, 1);
  EXPECT_EQ(range.first_nan, 2);
  const DenseTensor one = Doubles({1});
  EXPECT_FALSE(Check(&one, nullptr, &x).ok());
  EXPECT_THAT(Check(&x, nullptr, &x), IsOk());
}

TEST(NumberRangeTest, ReadsARepeatedElementOnce) {
  const DenseTensor one = Doubles({3});
  DenseTensor many = one;
  many.SetView(one, {int64_t{1} << 40}, {0}, 0);
  EXPECT_EQ((*RangeOf(many)).greatest, 3);
}

}  // namespace
}  // namespace switchyard::phi

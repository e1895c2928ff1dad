// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/conditions.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "phi/core/kernel_spec.h"
#include "phi/core/short_text.h"

namespace switchyard::phi::selection {
namespace {

constexpr std::array<InputInfo, 3> kInputs = {{{"x"}, {"y"}, {"bias", true}}};
constexpr std::array<AttrInfo, 3> kAttrs = {{{"axis", AttrType::kInt},
                                             {"exact", AttrType::kBool},
                                             {"dtype", AttrType::kDataType}}};

const Dim kUnknown = Dim::Unknown();

// A call with the tensors x and y, without bias, axis=1 exact=true
// dtype=float32.
class ConditionsTest : public testing::Test {
 protected:
  ConditionsTest() {
    op_.name = "op";
    op_.inputs = kInputs;
    op_.attrs = kAttrs;
  }

  const Query& Call(const Shape& x, const Shape& y = {}, AttrRef axis = 1) {
    x_ = {};
    y_ = {};
    x_.shape = x;
    y_.shape = y;
    attrs_ = {axis, true, DataType::kFloat32};
    query_.op = &op_;
    query_.inputs = tensors_;
    query_.attrs = attrs_;
    return query_;
  }

  // The sentence of a condition.
  static std::string Sentence(const Condition& condition, const Query& query) {
    const Mismatch mismatch = Describe(condition, query);
    return mismatch.subject + " must be " + mismatch.expected + ", got " +
           mismatch.actual;
  }

  OpInfo op_{};
  TensorMeta x_, y_;
  const std::array<const TensorMeta*, 3> tensors_ = {&x_, &y_, nullptr};
  std::array<AttrRef, 3> attrs_;
  Query query_{};
};

constexpr Tristate kTrue = Tristate::kTrue;
constexpr Tristate kFalse = Tristate::kFalse;
constexpr Tristate kUndecided = Tristate::kUndecided;

TEST_F(ConditionsTest, RankIsAlwaysKnown) {
  EXPECT_EQ(Evaluate(RankAtLeast(0, 2), Call({2, kUnknown})), kTrue);
  EXPECT_EQ(Evaluate(RankAtLeast(0, 3), Call({2, kUnknown})), kFalse);
  EXPECT_EQ(Evaluate(RankAtMost(0, 2), Call({2, kUnknown})), kTrue);
  EXPECT_EQ(Evaluate(RankAtMost(0, 1), Call({2, kUnknown})), kFalse);
  EXPECT_EQ(Sentence(RankAtLeast(0, 3), Call({2, 3})),
            "rank(x) must be at least 3, got 2");
  EXPECT_EQ(Sentence(RankAtMost(0, 1), Call({2, 3})),
            "rank(x) must be at most 1, got 2");
}

TEST_F(ConditionsTest, Elements) {
  EXPECT_EQ(Evaluate(ItemElementsAtLeast(0, 6), Call({9, 2, 3})), kTrue);
  EXPECT_EQ(Evaluate(ItemElementsAtLeast(0, 7), Call({9, 2, 3})), kFalse);
  EXPECT_EQ(Evaluate(ItemElementsAtLeast(0, 3), Call({kUnknown, 3})), kTrue);
  EXPECT_EQ(Evaluate(ItemElementsAtLeast(0, 1), Call({2, kUnknown})),
            kUndecided);
  EXPECT_EQ(Evaluate(ItemElementsAtLeast(0, 1), Call({})), kTrue);
  EXPECT_EQ(Evaluate(ElementsAtMost(0, 6), Call({2, 3})), kTrue);
  EXPECT_EQ(Evaluate(ElementsAtMost(0, 5), Call({2, 3})), kFalse);
  // The unknown extent may turn out to be 0.
  EXPECT_EQ(Evaluate(ElementsAtMost(0, 5), Call({kUnknown, 9})), kUndecided);
  // Another one is 0 already.
  EXPECT_EQ(Evaluate(ElementsAtMost(0, 5), Call({kUnknown, 0})), kTrue);
  EXPECT_EQ(Evaluate(ItemElementsAtLeast(0, 1), Call({kUnknown, 0})), kFalse);
  EXPECT_EQ(Sentence(ItemElementsAtLeast(0, 4096), Call({2, 3})),
            "numel(x[0]) must be at least 4096, got 3");
  EXPECT_EQ(Sentence(ElementsAtMost(0, 4096), Call({kUnknown, 3})),
            "numel(x) must be at most 4096, got [?, 3]");
}

TEST_F(ConditionsTest, AProductThatLeavesInt64IsMoreThanAnyBound) {
  const int64_t big = int64_t{1} << 40;
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Evaluate(ItemElementsAtLeast(0, most), Call({1, big, big})), kTrue);
  EXPECT_EQ(Evaluate(ElementsAtMost(0, most - 1), Call({big, big})), kFalse);
  EXPECT_EQ(Evaluate(WorkAtLeast(0, 1, most), Call({big, big}, {big})), kTrue);
}

TEST_F(ConditionsTest, Extents) {
  EXPECT_EQ(Evaluate(ExtentAtLeast(0, -1, 3), Call({2, 3})), kTrue);
  EXPECT_EQ(Evaluate(ExtentAtLeast(0, 0, 3), Call({2, 3})), kFalse);
  EXPECT_EQ(Evaluate(ExtentAtLeast(0, 0, 3), Call({kUnknown, 3})), kUndecided);
  EXPECT_EQ(Evaluate(ExtentAtMost(0, 1, 3), Call({kUnknown, 3})), kTrue);
  EXPECT_EQ(Evaluate(ExtentAtMost(0, 1, 2), Call({kUnknown, 3})), kFalse);
  EXPECT_EQ(Evaluate(ExtentAtMost(0, -2, 2), Call({kUnknown, 3})), kUndecided);
  EXPECT_EQ(Sentence(ExtentAtLeast(0, 0, 3), Call({2, 3})),
            "extent(x, 0) must be at least 3, got 2");
  EXPECT_EQ(Sentence(ExtentAtMost(0, -1, 2), Call({2, 3})),
            "extent(x, -1) must be at most 2, got 3");
}

TEST_F(ConditionsTest, AnAxisThatIsNotThereIsFalse) {
  EXPECT_EQ(Evaluate(ExtentAtMost(0, 2, 9), Call({2, 3})), kFalse);
  EXPECT_EQ(Evaluate(ExtentAtMost(0, -3, 9), Call({2, 3})), kFalse);
  EXPECT_EQ(Sentence(ExtentAtMost(0, 2, 9), Call({2, 3})),
            "extent(x, 2) must be at most 9, got rank 2");
}

TEST_F(ConditionsTest, Contiguity) {
  Call({2, 3});
  EXPECT_EQ(Evaluate(IsContiguous(0), query_), kTrue);
  x_.contiguous = false;
  EXPECT_EQ(Evaluate(IsContiguous(0), query_), kFalse);
  EXPECT_EQ(Sentence(IsContiguous(0), query_),
            "x must be contiguous, got strided");
  // With other extents a view of [?, 1], say, has no gaps.
  Call({2, kUnknown});
  x_.contiguous = false;
  EXPECT_EQ(Evaluate(IsContiguous(0), query_), kUndecided);
  EXPECT_EQ(Sentence(IsContiguous(0), query_),
            "x must be contiguous, got strides of [2, ?]");
  x_.contiguous = true;
  EXPECT_EQ(Evaluate(IsContiguous(0), query_), kTrue);
}

TEST_F(ConditionsTest, Attributes) {
  EXPECT_EQ(Evaluate(AttrEquals(0, 1), Call({2})), kTrue);
  EXPECT_EQ(Evaluate(AttrEquals(0, 0), Call({2})), kFalse);
  EXPECT_EQ(Evaluate(AttrEquals(1, true), Call({2})), kTrue);
  EXPECT_EQ(Evaluate(AttrEquals(1, false), Call({2})), kFalse);
  const int64_t float32 = static_cast<int64_t>(DataType::kFloat32);
  EXPECT_EQ(Evaluate(AttrEquals(2, float32), Call({2})), kTrue);
  const Scalar three(3), half(0.5);
  EXPECT_EQ(Evaluate(AttrEquals(0, 3), Call({2}, {}, three)), kTrue);
  EXPECT_EQ(Evaluate(AttrEquals(0, 0), Call({2}, {}, half)), kFalse);
  EXPECT_EQ(Evaluate(AttrEquals(0, 0), Call({2}, {}, "text")), kFalse);
  EXPECT_EQ(Sentence(AttrEquals(1, false), Call({2})),
            "exact must be false, got true");
  EXPECT_EQ(Sentence(AttrEquals(2, float32 + 1), Call({2})),
            "dtype must be float64, got float32");
}

TEST_F(ConditionsTest, AttributesThatAreTexts) {
  const Condition is_avg = AttrEquals(0, ShortText("avg"));
  EXPECT_EQ(Evaluate(is_avg, Call({2}, {}, "avg")), kTrue);
  EXPECT_EQ(Evaluate(is_avg, Call({2}, {}, "average")), kFalse);
  EXPECT_EQ(Evaluate(is_avg, Call({2}, {}, "")), kFalse);
  EXPECT_EQ(
      Evaluate(AttrEquals(0, ShortText("EXPLICIT")), Call({2}, {}, "EXPLICIT")),
      kTrue);
  EXPECT_EQ(Sentence(is_avg, Call({2}, {}, "max")),
            "axis must be \"avg\", got \"max\"");
}

TEST_F(ConditionsTest, Work) {
  EXPECT_EQ(Evaluate(WorkAtLeast(0, 1, 60), Call({3, 4}, {4, 5})), kTrue);
  EXPECT_EQ(Evaluate(WorkAtLeast(0, 1, 61), Call({3, 4}, {4, 5})), kFalse);
  EXPECT_EQ(Evaluate(WorkAtLeast(0, 1, 61), Call({3, 4}, {4, kUnknown})),
            kUndecided);
  EXPECT_EQ(Evaluate(WorkAtLeast(0, 1, 1), Call({0, 4}, {4, kUnknown})),
            kFalse);
  EXPECT_EQ(Evaluate(WorkAtLeast(0, 1, 12), Call({3, 4}, {})), kTrue);
  EXPECT_EQ(Evaluate(WorkAtLeast(0, 2, 12), Call({3, 4}, {})), kFalse);
  EXPECT_EQ(Sentence(WorkAtLeast(0, 1, 61), Call({3, 4}, {4, 5})),
            "numel(x) * extent(y, -1) must be at least 61, got 60");
  EXPECT_EQ(Sentence(WorkAtLeast(0, 1, 61), Call({3, 4}, {4, kUnknown})),
            "numel(x) * extent(y, -1) must be at least 61, got [3, 4] and "
            "[4, ?]");
}

TEST_F(ConditionsTest, AnAbsentTensorMeetsNoCondition) {
  EXPECT_EQ(Evaluate(RankAtMost(2, 9), Call({2})), kFalse);
  EXPECT_EQ(Sentence(RankAtMost(2, 9), Call({2})),
            "bias must be given, got none");
}

}  // namespace
}  // namespace switchyard::phi::selection

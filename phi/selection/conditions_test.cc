// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/conditions.h"

#include <gtest/gtest.h>

#include <algorithm>
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

// The signature of an operator with one input, for specs.
struct OneInput {
  static constexpr size_t kNumInputs = 1, kNumOutputs = 1;
  static constexpr std::array kInputKinds = {TensorKind::kDense};
  static constexpr std::array kOutputKinds = {TensorKind::kDense};
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

TEST_F(ConditionsTest, EqualShapes) {
  const Dim n = Dim::Symbol(0), m = Dim::Symbol(1);
  const auto same = [this](const Shape& x, const Shape& y) {
    return Evaluate(SameShape(0, 1), Call(x, y));
  };
  EXPECT_EQ(same({2, 3}, {2, 3}), kTrue);
  EXPECT_EQ(same({}, {}), kTrue);
  EXPECT_EQ(same({2, 3}, {3, 2}), kFalse);
  // Broadcast is not equal, and rank is always known.
  EXPECT_EQ(same({2, 3}, {3}), kFalse);
  EXPECT_EQ(same({2, 3}, {1, 3}), kFalse);
  EXPECT_EQ(same({kUnknown}, {1, kUnknown}), kFalse);
  // Two unknown extents may differ; those of one symbol do not.
  EXPECT_EQ(same({kUnknown, 3}, {kUnknown, 3}), kUndecided);
  EXPECT_EQ(same({kUnknown, 3}, {2, 3}), kUndecided);
  EXPECT_EQ(same({n, 3}, {n, 3}), kTrue);
  EXPECT_EQ(same({n, 3}, {m, 3}), kUndecided);
  EXPECT_EQ(same({n, 3}, {2, 3}), kUndecided);
  // A later axis decides, whatever an earlier one turns out to be.
  EXPECT_EQ(same({n, 3}, {m, 4}), kFalse);
  EXPECT_EQ(same({kUnknown, n}, {kUnknown, n}), kUndecided);
  EXPECT_EQ(Sentence(SameShape(1, 0), Call({2, 3}, {3})),
            "shape(y) must be that of x, [2, 3], got [3]");
  EXPECT_EQ(Sentence(SameShape(0, 1), Call({kUnknown}, {n})),
            "shape(x) must be that of y, [s0], got [?]");
  EXPECT_EQ(Evaluate(SameShape(0, 2), Call({2})), kFalse);
  EXPECT_EQ(Evaluate(SameShape(2, 0), Call({2})), kFalse);
  EXPECT_EQ(Sentence(SameShape(0, 2), Call({2})),
            "bias must be given, got none");
}

TEST_F(ConditionsTest, AnyOfAGroup) {
  // Members that are true, false and undecided for x of shape [2, ?].
  const Condition yes = RankAtMost(0, 2), no = RankAtLeast(0, 3),
                  open = ExtentAtLeast(0, 1, 5);
  Call({2, kUnknown});
  const auto any = [this](auto... members) {
    return Evaluate(AnyOf(members...), query_, query_.place);
  };
  EXPECT_EQ(any(yes, no), kTrue);
  EXPECT_EQ(any(no, yes), kTrue);
  EXPECT_EQ(any(open, yes), kTrue);
  EXPECT_EQ(any(yes, open), kTrue);
  EXPECT_EQ(any(no, no), kFalse);
  EXPECT_EQ(any(no, open), kUndecided);
  EXPECT_EQ(any(open, no), kUndecided);
  EXPECT_EQ(any(open, open, no), kUndecided);
  EXPECT_EQ(any(open, no, no, yes), kTrue);
  const auto text = [this](auto... members) {
    const Mismatch mismatch = Describe(AnyOf(members...), query_, query_.place);
    return mismatch.subject + " must be " + mismatch.expected + ", got " +
           mismatch.actual;
  };
  EXPECT_EQ(text(no, open),
            "one of: rank(x) must be at least 3, or extent(x, 1) at least 5, "
            "got 2 and ?");
  EXPECT_EQ(text(no, RankAtMost(2, 1), AttrEquals(1, false)),
            "one of: rank(x) must be at least 3, or bias given, or exact "
            "false, got 2 and none and true");
  const int64_t float32 = static_cast<int64_t>(DataType::kFloat32);
  EXPECT_EQ(text(AttrEquals(2, float32 + 1), AttrEquals(2, float32 + 2),
                 AttrEquals(2, float32 - 1)),
            "dtype must be float64, complex64 or bfloat16, got float32");
}

TEST_F(ConditionsTest, AGroupEndsWhereItSays) {
  // A condition that follows the group is one of its own.
  static constexpr auto kSpec =
      KernelSpec<OneInput>()
          .When(RankAtMost(0, 4))
          .When(AnyOf(RankAtMost(0, 0), ExtentAtLeast(0, -1, 8)))
          .When(RankAtMost(0, 1));
  const absl::Span<const Condition> all(kSpec.conditions);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(NumEntries(all[0]), 1u);
  EXPECT_EQ(NumEntries(all[1]), 3u);
  Call({3, 8});
  EXPECT_EQ(Evaluate(all, query_, query_.place), kTrue);
  EXPECT_EQ(Evaluate(all.subspan(1), query_, query_.place), kTrue);
  EXPECT_EQ(Evaluate(all.subspan(4), query_, query_.place), kFalse);
  Call({1});
  EXPECT_EQ(Evaluate(all.subspan(1), query_, query_.place), kFalse);
  EXPECT_EQ(Evaluate(all.subspan(4), query_, query_.place), kTrue);
}

// All shapes of one or two axes whose extents are among `dims`.
std::vector<Shape> ShapesOf(absl::Span<const Dim> dims) {
  std::vector<Shape> shapes;
  for (const Dim a : dims) {
    shapes.push_back({a});
    for (const Dim b : dims) shapes.push_back({a, b});
  }
  return shapes;
}

// Calls `use` with x and y of every extent from 1 to 3 where one is open; what
// has one symbol has one extent.
template <typename Use>
void ForEachCompletion(const Shape& x, const Shape& y, const Use& use) {
  Shape shapes[2] = {x, y};
  for (Shape& shape : shapes) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const Dim open = shape[axis];
      if (open.known()) continue;
      for (int64_t extent = 1; extent <= 3; ++extent) {
        Shape filled[2] = {shapes[0], shapes[1]};
        filled[&shape - shapes][axis] = extent;
        for (Shape& other : filled) {
          for (int i = 0; open.symbolic() && i < other.rank(); ++i) {
            if (other[i] == open) other[i] = extent;
          }
        }
        ForEachCompletion(filled[0], filled[1], use);
      }
      return;
    }
  }
  use(x, y);
}

bool HasSymbols(const Shape& shape) {
  return std::any_of(shape.dims().begin(), shape.dims().end(),
                     [](Dim dim) { return dim.symbolic(); });
}

// Over all pairs of small shapes: what is decided holds for every completion.
// Equality that is undecided comes out both ways; two uses of a symbol, which
// are looked at one by one, may rule one of them out.
TEST_F(ConditionsTest, WhatIsDecidedStaysSo) {
  const Dim dims[] = {1, 2, kUnknown, Dim::Symbol(0), Dim::Symbol(1)};
  const auto group =
      AnyOf(SameShape(0, 1), ExtentAtLeast(1, 0, 3), RankAtMost(0, 1));
  const std::array<Condition, 1> same = {SameShape(1, 0)};
  int undecided = 0;
  for (const Shape& x : ShapesOf(dims)) {
    for (const Shape& y : ShapesOf(dims)) {
      for (const absl::Span<const Condition> conditions :
           {absl::Span<const Condition>(group),
            absl::Span<const Condition>(same)}) {
        SCOPED_TRACE(ToString(x) + " " + ToString(y));
        const auto evaluate = [&](const Shape& a, const Shape& b) {
          return Evaluate(conditions, Call(a, b), Place::Cpu());
        };
        const Tristate open = evaluate(x, y);
        bool seen[2] = {false, false};
        ForEachCompletion(x, y, [&](const Shape& a, const Shape& b) {
          const Tristate known = evaluate(a, b);
          ASSERT_NE(known, kUndecided);
          seen[known == kTrue ? 1 : 0] = true;
        });
        if (open != kUndecided) {
          EXPECT_EQ(seen[1], open == kTrue);
          EXPECT_EQ(seen[0], open == kFalse);
          continue;
        }
        ++undecided;
        if (conditions.size() > 1 || HasSymbols(x) || HasSymbols(y)) continue;
        EXPECT_TRUE(seen[0] && seen[1]);
      }
    }
  }
  EXPECT_GT(undecided, 100);
}

constexpr const char* kNumbers[] = {"lanes", "level"};
// A device of a kind whose devices differ in their level.
constexpr DeviceInfo kNumbered = {
    "numbered",
    false,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    kNumbers,
    [](int index, int position) {
      return int64_t{position == 0 ? 32 : 70 + 10 * index};
    }};

TEST_F(ConditionsTest, PropertiesOfTheDeviceThatTheKernelWouldRunOn) {
  const absl::StatusOr<DeviceType> type = RegisterDevice(kNumbered);
  ASSERT_TRUE(type.ok());
  Call({2});
  const std::array<Condition, 1> level = {DeviceAtLeast(1, 80)};
  query_.place = Place::Cpu();
  EXPECT_EQ(Evaluate(level, query_, {*type, 0}), kFalse);
  EXPECT_EQ(Evaluate(level, query_, {*type, 1}), kTrue);
  query_.place = {*type, 1};
  EXPECT_EQ(Evaluate(level[0], query_), kTrue);
  EXPECT_EQ(Evaluate(DeviceAtLeast(0, 33), query_), kFalse);
  query_.place = {*type, 0};
  EXPECT_EQ(Sentence(level[0], query_),
            "level(numbered:0) must be at least 80, got 70");
}

TEST_F(ConditionsTest, AnAbsentTensorMeetsNoCondition) {
  EXPECT_EQ(Evaluate(RankAtMost(2, 9), Call({2})), kFalse);
  EXPECT_EQ(Sentence(RankAtMost(2, 9), Call({2})),
            "bias must be given, got none");
}

}  // namespace
}  // namespace switchyard::phi::selection

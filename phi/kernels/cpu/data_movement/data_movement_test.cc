// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "framework/tensor/selected_rows.h"
#include "gtest/gtest.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_tables.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

using Ints = std::vector<int64_t>;

AttrRef Attr(const Ints& values) {
  return AttrRef(absl::Span<const int64_t>(values));
}

const Shape kShapes[] = {Shape({0, 2}), Shape(), Shape({7}), Shape({2, 3, 5}),
                         Shape({300, 130})};

const DataType kAll[] = {
    DataType::kBool,    DataType::kUInt8,     DataType::kInt8,
    DataType::kInt16,   DataType::kInt32,     DataType::kInt64,
    DataType::kFloat16, DataType::kBFloat16,  DataType::kFloat32,
    DataType::kFloat64, DataType::kComplex64, DataType::kComplex128};

// Small integers, or false and true.
DenseTensor Of(DataType dtype, const Shape& shape) {
  if (dtype == DataType::kBool) return RandomTensor<bool>(shape, 0, 2);
  return MakeTensorOf(dtype, shape,
                      ToDoubles(RandomTensor<int64_t>(shape, 1, 100)));
}

TEST(CastTest, ConvertsEveryPair) {
  for (const DataType from : kAll) {
    const DenseTensor x =
        from == DataType::kBool
            ? MakeTensor<bool>(Shape({2, 2}), {true, false, false, true})
            : MakeTensorOf(from, Shape({2, 3}), {0, 1, 2.5, 100, 7, 64});
    for (const DataType to : kAll) {
      CheckAgainstReference({"cast", {x}, {to}});
    }
  }
}

TEST(CastTest, ComplexNumbersGiveTheirRealPart) {
  const DenseTensor x = MakeTensor<std::complex<float>>(
      Shape({3}), {{2.9f, 5}, {-300, -1}, {0, 3}});
  for (const DataType to : kAll) CheckAgainstReference({"cast", {x}, {to}});
  const auto ints = RunKernel({"cast", {x}, {DataType::kInt8}}, "cpu");
  ASSERT_THAT(ints, IsOk());
  EXPECT_EQ(ToDoubles((*ints)[0]), (std::vector<double>{2, -128, 0}));
  const auto truths = RunKernel({"cast", {x}, {DataType::kBool}}, "cpu");
  ASSERT_THAT(truths, IsOk());
  EXPECT_EQ(ToDoubles((*truths)[0]), (std::vector<double>{1, 1, 1}));
}

TEST(CastTest, SaturatesFloats) {
  const float inf = std::numeric_limits<float>::infinity();
  const DenseTensor x = MakeTensor<float>(
      Shape({8}), {3e9f, -3e9f, 1e20f, -1e20f, inf, -inf, NAN, -1.9f});
  for (const DataType to :
       {DataType::kInt8, DataType::kUInt8, DataType::kInt32, DataType::kInt64,
        DataType::kBool, DataType::kFloat16}) {
    CheckAgainstReference({"cast", {x}, {to}});
  }
  for (const Shape& shape : kShapes) {
    CheckAgainstReference(
        {"cast", {RandomTensor<float>(shape, -900, 900)}, {DataType::kInt32}});
  }
}

TEST(MoveTest, CopiesElements) {
  for (const Shape& shape : kShapes) {
    for (const char* op : {"contiguous", "assign"}) {
      CheckAgainstReference({op, {RandomTensor<float>(shape)}});
      CheckAgainstReference({op, {RandomTensor<uint8_t>(shape, 0, 99)}});
      CheckAgainstReference({op, {RandomTensor<int64_t>(shape, 0, 99)}});
    }
    CheckAgainstReference({"copy", {RandomTensor<double>(shape)}, {Place()}});
  }
}

// The rows are the same numbers, the values have memory of their own.
TEST(MoveTest, CopiesSelectedRows) {
  const AttrRef attrs[] = {Place::Cpu()};
  int kernels = 0;
  for (const DataType dtype : {DataType::kFloat32, DataType::kFloat64}) {
    const SelectedRows x(9, {3, 0, 3}, Of(dtype, {3, 2}));
    for (const KernelDef* kernel :
         KernelTables::Current().Find("copy")->candidates(dtype)) {
      if (std::string_view(kernel->kernel) != "copy_selected_rows") continue;
      SelectedRows out;
      const TensorBase* inputs[] = {&x};
      TensorBase* outputs[] = {&out};
      KernelContext context(
          kernel->key.backend->contexts->current(Place::Cpu()),
          {inputs, attrs, outputs});
      ASSERT_THAT(kernel->thunk(context), IsOk());
      EXPECT_EQ(out.height(), 9);
      EXPECT_EQ(out.rows(), x.rows());
      EXPECT_EQ(ToDoubles(out.values()), ToDoubles(x.values()));
      EXPECT_NE(out.buffer(), x.buffer());
      ++kernels;
    }
  }
  EXPECT_EQ(kernels, 4);  // Two backends.
}

// Padded and not, with one block, two, and none.
TEST(MoveTest, Reorders) {
  for (const char* layout : {"strided", "adbc", "aBcd8b", "aDbc16d", "ABcd8b8a",
                             "Acdb8a", "aBcd4b2b", "AbcD2a4d"}) {
    for (const Shape& shape : {Shape({2, 16, 3, 16}), Shape({3, 5, 1, 18}),
                               Shape({16, 16, 2, 4}), Shape({2, 0, 3, 4})}) {
      CheckAgainstReference(
          {"reorder", {RandomTensor<float>(shape)}, {layout}});
      CheckAgainstReference(
          {"reorder", {RandomTensor<uint8_t>(shape, 0, 99)}, {layout}});
    }
  }
  CheckAgainstReference(
      {"reorder", {RandomTensor<double>(Shape({40, 3}))}, {"ba"}});
}

// From each layout to each other and on to strided: the elements come back.
TEST(MoveTest, ReordersThereAndBack) {
  const DenseTensor x = RandomTensor<double>(Shape({5, 16, 3, 9}));
  const char* const layouts[] = {"strided", "acdb", "aBcd8b", "ABcd4b2a"};
  for (const char* first : layouts) {
    for (const char* second : layouts) {
      DenseTensor moved = x;
      for (const char* layout : {first, second, "strided"}) {
        const auto outputs = RunKernel({"reorder", {moved}, {layout}}, "cpu");
        ASSERT_THAT(outputs, IsOk());
        moved = outputs->at(0);
      }
      EXPECT_TRUE(TensorsIdentical(moved, x)) << first << " " << second;
    }
  }
}

TEST(MoveTest, ConcatenatesAndBack) {
  const DenseTensor a = RandomTensor<float>(Shape({2, 3, 4}));
  const DenseTensor b = RandomTensor<float>(Shape({2, 0, 4}));
  const DenseTensor c = RandomTensor<float>(Shape({2, 5, 4}));
  CheckAgainstReference({"concat", {a, b, c}, {-2}});
  CheckAgainstReference({"concat", {a}, {0}});
  CheckAgainstReference(
      {"concat_grad", {a, b, c, RandomTensor<float>(Shape({2, 8, 4}))}, {1}});
  CheckAgainstReference({"concat",
                         {RandomTensor<int64_t>(Shape({90, 40})),
                          RandomTensor<int64_t>(Shape({90, 500}))},
                         {1}});
}

TEST(MoveTest, SpreadsTheGradientOfASlice) {
  const Ints axes = {0, -1}, starts = {-3, 1}, ends = {100, 3};
  CheckAgainstReference({"slice_grad",
                         {RandomTensor<float>(Shape({5, 2, 4})),
                          RandomTensor<float>(Shape({3, 2, 2}))},
                         {Attr(axes), Attr(starts), Attr(ends)}});
}

TEST(RearrangeTest, AgreesWithReference) {
  const std::vector<int> both = {0, -1}, none = {}, middle = {1};
  const absl::Span<const int> kFlips[] = {both, none, middle};
  const Ints kRepeats[] = {{}, {2}, {3, 1, 2}, {2, 1, 1, 1}, {0, 2}, {1, 4, 1}};
  const Ints paddings = {1, 0, 0, 2, 3, 1};
  for (const DataType dtype : kAll) {
    for (const Shape& shape :
         {Shape({2, 3, 4}), Shape({0, 3, 4}), Shape({30, 40, 21})}) {
      const DenseTensor x = Of(dtype, shape);
      for (const absl::Span<const int> axis : kFlips) {
        CheckAgainstReference({"flip", {x}, {AttrRef(axis)}});
      }
      for (const Ints& repeats : kRepeats) {
        CheckAgainstReference({"tile", {x}, {Attr(repeats)}});
      }
      const Scalar value(1.5);
      CheckAgainstReference({"pad", {x}, {Attr(paddings), value}});
      for (const int diagonal : {0, 1, -2, 90, -90}) {
        CheckAgainstReference({"tril", {x}, {diagonal}});
        CheckAgainstReference({"triu", {x}, {diagonal}});
      }
      for (const int axis : {0, 1, -1}) {
        CheckAgainstReference({"stack", {x, Of(dtype, shape), x}, {axis}});
      }
    }
  }
  const DenseTensor scalar = Of(DataType::kFloat32, Shape());
  CheckAgainstReference({"stack", {scalar, scalar}, {0}});
  CheckAgainstReference({"tile", {scalar}, {Attr(kRepeats[2])}});
  CheckAgainstReference({"pad", {scalar}, {Attr(kRepeats[0]), Scalar(2)}});
}

TEST(ArangeTest, AgreesWithReference) {
  struct Range {
    Scalar start, end, step;
  };
  const Range kRanges[] = {{0, 7, 1},       {7, -8, -3},   {0, 0, 1},
                           {-1, 40000, 17}, {3, 100, 200}, {0.5, 3.0, 1.0}};
  for (const Range& range : kRanges) {
    for (const DataType dtype :
         {DataType::kInt32, DataType::kInt64, DataType::kFloat16,
          DataType::kBFloat16, DataType::kFloat32, DataType::kFloat64}) {
      CheckAgainstReference(
          {"arange", {}, {range.start, range.end, range.step, dtype}});
    }
  }
  const Scalar low(INT64_MIN), high(INT64_MAX), step(INT64_MAX / 2);
  CheckAgainstReference({"arange", {}, {low, high, step, DataType::kInt64}});
}

TEST(FillTest, AgreesWithReference) {
  const Ints shape = {3, 50};
  const Scalar value(2.5);
  for (const DataType dtype : kAll) {
    CheckAgainstReference({"full", {}, {Attr(shape), value, dtype}});
    CheckAgainstReference(
        {"full_like", {RandomTensor<float>(Shape({0, 2}))}, {value, dtype}});
  }
}

TEST(ViewTest, AgreesWithReference) {
  const DenseTensor x = RandomTensor<float>(Shape({2, 3, 4}));
  const Ints flat = {-1, 6}, sections = {1, -1}, wide = {5, -1, 3, 4};
  const std::vector<int> perm = {2, 0, 1};
  const Ints axes = {1}, starts = {1}, ends = {9};
  CheckAgainstReference({"reshape", {x}, {Attr(flat)}});
  CheckAgainstReference(
      {"transpose", {x}, {AttrRef(absl::Span<const int>(perm))}});
  CheckAgainstReference({"slice", {x}, {Attr(axes), Attr(starts), Attr(ends)}});
  CheckAgainstReference({"split", {x}, {Attr(sections), 1}});
  CheckAgainstReference({"expand", {x}, {Attr(wide)}});
  CheckAgainstReference({"expand_as", {RandomTensor<float>(Shape({3, 1})), x}});
  CheckAgainstReference({"flatten", {x}, {0, -2}});
  const Ints outer = {0, -1, 2}, unit = {-2};
  CheckAgainstReference({"unsqueeze", {x}, {Attr(outer)}});
  const DenseTensor units = RandomTensor<float>(Shape({1, 3, 1, 4, 1}));
  CheckAgainstReference({"squeeze", {units}, {Attr(unit)}});
  CheckAgainstReference({"squeeze", {units}, {Attr({})}});
  CheckAgainstReference(
      {"squeeze", {RandomTensor<float>(Shape({1, 0, 1}))}, {Attr({})}});
  CheckAgainstReference({"shape", {x}});
}

TEST(ViewTest, SqueezesWhatIsNotContiguous) {
  const DenseTensor x = WithOtherStrides(RandomTensor<float>(Shape({4, 1, 3})));
  const Ints axis = {1};
  const auto squeezed = RunKernel({"squeeze", {x}, {Attr(axis)}}, "cpu");
  ASSERT_THAT(squeezed, IsOk());
  EXPECT_EQ((*squeezed)[0].buffer(), x.buffer());
  EXPECT_EQ(ToVector<float>((*squeezed)[0]), ToVector<float>(x));
  const auto back =
      RunKernel({"unsqueeze", {(*squeezed)[0]}, {Attr(axis)}}, "cpu");
  ASSERT_THAT(back, IsOk());
  EXPECT_EQ((*back)[0].buffer(), x.buffer());
  EXPECT_EQ(ToVector<float>((*back)[0]), ToVector<float>(x));
}

TEST(ViewTest, SharesTheBuffer) {
  const DenseTensor x = RandomTensor<float>(Shape({2, 3}));
  const std::vector<int> perm = {1, 0};
  const auto out = RunKernel(
      {"transpose", {x}, {AttrRef(absl::Span<const int>(perm))}}, "cpu");
  ASSERT_THAT(out, IsOk());
  EXPECT_EQ((*out)[0].buffer(), x.buffer());
  EXPECT_FALSE((*out)[0].contiguous());
}

// Offsets by the strides leave int64 though there are no elements.
TEST(MoveTest, TakesEmptyTensorsOfHugeExtents) {
  const int64_t large = int64_t{1} << 40;
  const DenseTensor x =
      EmptyTensor(DataType::kFloat32, Shape({0, large, large}));
  const Ints axes = {1, 2}, starts = {large - 1, 5}, ends = {large, large};
  const std::vector<AttrRef> slice = {Attr(axes), Attr(starts), Attr(ends)};
  EXPECT_THAT(RunKernel({"concat", {x, x}, {1}}, "cpu"), IsOk());
  EXPECT_THAT(RunKernel({"stack", {x, x}, {0}}, "cpu"), IsOk());
  const auto part = RunKernel({"slice", {x}, slice}, "cpu");
  ASSERT_THAT(part, IsOk());
  EXPECT_THAT(RunKernel({"slice_grad", {x, (*part)[0]}, slice}, "cpu"), IsOk());
  const std::vector<int> perm = {2, 0, 1};
  EXPECT_THAT(
      RunKernel({"transpose", {x}, {AttrRef(absl::Span<const int>(perm))}},
                "cpu"),
      IsOk());
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu

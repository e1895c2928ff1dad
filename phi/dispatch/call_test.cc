// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/call.h"

#include <string>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/testing/allocation_counter.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/dispatch/selection_recorder.h"
#include "phi/dispatch/testing/fake_kernels.h"
#include "phi/selection/fallback_log.h"

namespace switchyard::phi::dispatch {
namespace {

using selection::ClearFallbackLog;
using selection::Fallback;
using selection::FallbackLog;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::Status RunOp(const FakeOp& op,
                   const std::vector<const TensorBase*>& inputs,
                   const std::vector<TensorBase*>& outputs,
                   const std::vector<AttrRef>& attrs = {}) {
  Call call(op.info, {inputs, attrs, outputs});
  return call.Run(op.op_kernels);
}

TEST(Call, InfersAllocatesAndLaunches) {
  const DenseTensor x = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  const DenseTensor y = MakeTensor<float>({2, 2}, {10, 20, 30, 40});
  DenseTensor out;
  ASSERT_THAT(RunOp(fake_plus, {&x, &y}, {&out}), IsOk());
  EXPECT_EQ(out.shape(), x.shape());
  EXPECT_EQ(out.dtype(), DataType::kFloat32);
  EXPECT_THAT(ToVector<float>(out), ElementsAre(11, 22, 33, 44));
}

TEST(Call, MakesInputsContiguousWhereTheKernelAsks) {
  const DenseTensor x = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const DenseTensor view = TransposedView(x, {1, 0});
  DenseTensor out;
  ASSERT_THAT(RunOp(fake_negate, {&view}, {&out}), IsOk());
  EXPECT_THAT(ToVector<float>(out), ElementsAre(-1, -4, -2, -5, -3, -6));
  // And leaves them alone where it does not.
  DenseTensor sum;
  ASSERT_THAT(RunOp(fake_plus, {&view, &view}, {&sum}), IsOk());
  EXPECT_THAT(ToVector<float>(sum), ElementsAre(2, 8, 4, 10, 6, 12));
}

TEST(Call, PromotesBeforeItInfers) {
  const DenseTensor x = MakeTensor<float>({2}, {1, 2});
  const DenseTensor y = MakeTensor<double>({2}, {0.5, 0.25});
  const SelectionRecorder log;
  DenseTensor out;
  ASSERT_THAT(RunOp(fake_plus, {&x, &y}, {&out}), IsOk());
  EXPECT_EQ(out.dtype(), DataType::kFloat64);
  EXPECT_THAT(ToVector<double>(out), ElementsAre(1.5, 2.25));
  EXPECT_THAT(log.lines(),
              ElementsAre("cast float32[2] dtype=float64 -> cpu float32 "
                          "(naive_kernels.h:1) transforms: none",
                          "plus float64[2], float64[2] -> cpu float64 "
                          "(naive_kernels.h:1) transforms: none"));
}

TEST(Call, AMixThatIsNotPromotedIsATypeErrorThatNamesTheOperator) {
  const DenseTensor x = MakeTensor<float>({2}, {1, 2});
  const DenseTensor ints = MakeTensor<int32_t>({2}, {1, 2});
  DenseTensor out;
  const absl::Status status = RunOp(fake_plus, {&x, &ints}, {&out});
  EXPECT_TRUE(IsTypeError(status));
  EXPECT_EQ(std::string(status.message()),
            "plus: y must be floating (x is float32), got int32");
  EXPECT_FALSE(out.allocated());
}

TEST(Call, NamesAbsentAndEmptyArguments) {
  const DenseTensor x = MakeTensor<float>({2}, {1, 2});
  const DenseTensor nothing;
  DenseTensor out;
  EXPECT_THAT(RunOp(fake_plus, {&x, nullptr}, {&out}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("plus: y must be given, got none")));
  EXPECT_THAT(RunOp(fake_plus, {&x, &nothing}, {&out}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("plus: y must be a tensor with data")));
  EXPECT_THAT(RunOp(fake_plus, {&x}, {&out}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("plus: arguments must be 2 inputs")));
  EXPECT_THAT(RunOp(fake_plus, {&x, &x}, {nullptr}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("plus: out must be given, got none")));
}

absl::Status PlusInSegments(const std::vector<const TensorBase*>& inputs,
                            const std::vector<uint16_t>& begins) {
  DenseTensor out;
  TensorBase* const outputs[] = {&out};
  const ArgSegments segments(begins.data(),
                             static_cast<int>(begins.size()) - 1);
  return Call(fake_plus.info, {{inputs, segments}, {}, outputs})
      .Run(fake_plus.op_kernels);
}

TEST(Call, SegmentsMustBeThoseOfTheOperator) {
  const DenseTensor x = MakeTensor<float>({2}, {1, 2});
  EXPECT_THAT(PlusInSegments({&x, &x}, {0, 1, 2}), IsOk());
  const auto error = [](const char* what) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(what));
  };
  EXPECT_THAT(PlusInSegments({&x, &x}, {0, 2, 2}),
              error("plus: x must be one tensor, got 2 tensors"));
  EXPECT_THAT(PlusInSegments({&x, &x}, {0, 1, 1}),
              error("plus: y must be one tensor, got 0 tensors"));
  EXPECT_THAT(PlusInSegments({&x, &x}, {2, 1, 2}),
              error("plus: x must be one tensor, got -1 tensors"));
  EXPECT_THAT(PlusInSegments({&x, &x}, {1, 2, 3}),
              error("plus: tensors must be"));
  EXPECT_THAT(PlusInSegments({&x}, {0, 1, 2}), error("plus: tensors must be"));
}

TEST(Call, AListTakesAnyNumberOfTensors) {
  const DenseTensor x = MakeTensor<float>({2}, {1, 2});
  const std::vector<int64_t> weights;
  const AttrRef attrs[] = {"", absl::MakeConstSpan(weights)};
  const TensorBase* const inputs[] = {&x, &x};
  const uint16_t begins[] = {0, 2};
  DenseTensor out;
  TensorBase* const outputs[] = {&out};
  ASSERT_THAT(
      Call(fake_join.info, {{inputs, ArgSegments(begins, 1)}, attrs, outputs})
          .Run(fake_join.op_kernels),
      IsOk());
  EXPECT_THAT(ToVector<float>(out), ElementsAre(1, 2, 1, 2));
}

TEST(Call, ErrorsOfInferMetaAndOfKernelsCarryTheName) {
  const DenseTensor x = MakeTensor<float>({2}, {1, 2});
  const DenseTensor y = MakeTensor<float>({3}, {1, 2, 3});
  DenseTensor out;
  EXPECT_THAT(RunOp(fake_plus, {&x, &y}, {&out}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("plus: y must be [2], got [3]")));
  EXPECT_FALSE(out.allocated());
  EXPECT_THAT(RunOp(fake_failing, {&x}, {&out}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("failing: index must be in [0, 3), got 7")));
}

TEST(Call, ADtypeWithoutAKernelIsATypeError) {
  const DenseTensor x = MakeTensor<double>({2}, {1, 2});
  DenseTensor out;
  const absl::Status status = RunOp(fake_negate, {&x}, {&out});
  EXPECT_TRUE(IsTypeError(status));
  EXPECT_EQ(std::string(status.message()),
            "negate: x must be float32, got float64");
}

TEST(Call, OptionalInputsAndOutputsMayBeAbsent) {
  const DenseTensor x = MakeTensor<float>({2}, {1, 2});
  DenseTensor out, mask;
  ASSERT_THAT(RunOp(fake_pair, {&x, nullptr}, {&out, nullptr}), IsOk());
  EXPECT_THAT(ToVector<float>(out), ElementsAre(1, 2));
  ASSERT_THAT(RunOp(fake_pair, {&x, &x}, {&out, &mask}),
              StatusIs(absl::StatusCode::kOk));
  EXPECT_THAT(ToVector<float>(mask), ElementsAre(1, 2));
}

TEST(Call, ViewsShareTheBuffer) {
  const DenseTensor x = MakeTensor<float>({4}, {1, 2, 3, 4});
  DenseTensor out;
  ASSERT_THAT(RunOp(fake_half, {&x}, {&out}), IsOk());
  EXPECT_EQ(out.buffer(), x.buffer());
  EXPECT_EQ(out.shape(), Shape({2}));
}

TEST(Call, EmptyOutputsAreNotLaunchedButViewsAre) {
  const DenseTensor x = MakeTensor<float>({0, 3}, {});
  const int before = Launches();
  DenseTensor out;
  ASSERT_THAT(RunOp(fake_negate, {&x}, {&out}), IsOk());
  EXPECT_EQ(Launches(), before);
  EXPECT_EQ(out.shape(), x.shape());
  EXPECT_TRUE(out.allocated());
  ASSERT_THAT(RunOp(fake_half, {&x}, {&out}), IsOk());
  EXPECT_EQ(Launches(), before + 1);
  EXPECT_EQ(out.buffer(), x.buffer());
}

TEST(Call, SizesThatOverflowAreRefusedAtOnce) {
  DenseTensor out;
  EXPECT_THAT(
      RunOp(fake_fill, {}, {&out}, {int64_t{1} << 40}),
      StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("fill: ")));
  // The elements fit, the bytes don't.
  EXPECT_THAT(RunOp(fake_fill, {}, {&out}, {int64_t{3000000000}}),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_FALSE(out.allocated());
}

class InPlaceTest : public testing::Test {
 protected:
  // x += y.
  absl::Status AddTo(const DenseTensor& x, const DenseTensor& y) {
    DenseTensor out = x;
    return RunOp(fake_plus, {&x, &y}, {&out});
  }
  DenseTensor x_ = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
};

TEST_F(InPlaceTest, WritesIntoTheBufferOfTheOutput) {
  const DenseTensor y = MakeTensor<float>({2, 2}, {10, 20, 30, 40});
  ASSERT_THAT(AddTo(x_, y), IsOk());
  EXPECT_THAT(ToVector<float>(x_), ElementsAre(11, 22, 33, 44));
  ASSERT_THAT(AddTo(x_, x_), IsOk());
  EXPECT_THAT(ToVector<float>(x_), ElementsAre(22, 44, 66, 88));
}

TEST_F(InPlaceTest, ReadsAnOverlappingInputFromACopy) {
  ASSERT_THAT(AddTo(x_, TransposedView(x_, {1, 0})), IsOk());
  EXPECT_THAT(ToVector<float>(x_), ElementsAre(2, 5, 5, 8));
  DenseTensor first;
  first.SetView(x_, Shape(), Strides(), 0);
  ASSERT_THAT(AddTo(x_, first), IsOk());
  EXPECT_THAT(ToVector<float>(x_), ElementsAre(4, 7, 7, 10));
}

TEST_F(InPlaceTest, RefusesWhatDoesNotFitBeforeAnyWrite) {
  const DenseTensor wide = MakeTensor<double>({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(AddTo(x_, wide),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("plus: x must be float64 to be written in "
                                 "place, got float32")));
  const DenseTensor view = TransposedView(x_, {1, 0});
  EXPECT_THAT(AddTo(view, x_),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("plus: x must be contiguous to be written in "
                                 "place, got strided")));
  DenseTensor other = MakeTensor<float>({4}, {0, 0, 0, 0});
  EXPECT_THAT(RunOp(fake_plus, {&x_, &x_}, {&other}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("x must be [2, 2] to be written in place")));
  EXPECT_THAT(ToVector<float>(x_), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ToVector<float>(other), ElementsAre(0, 0, 0, 0));
}

class FallbackTest : public testing::Test {
 protected:
  FallbackTest() { ClearFallbackLog(); }
  static selection::Policy Allowed() {
    selection::Policy policy;
    policy.allow_fallback = true;
    return policy;
  }
  const DenseTensor x_ = OnGpu({2}, {1, 2});
};

TEST_F(FallbackTest, IsOffByDefault) {
  DenseTensor out;
  EXPECT_THAT(RunOp(fake_negate, {&x_}, {&out}),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("negate: no kernel for float32[2] on gpu:0")));
  EXPECT_TRUE(FallbackLog().empty());
}

TEST_F(FallbackTest, CopiesToAndFroAndLeavesAReceipt) {
  const PolicyScope allowed(Allowed());
  const SelectionRecorder log;
  DenseTensor out;
  ASSERT_THAT(RunOp(fake_negate, {&x_}, {&out}), IsOk());
  EXPECT_EQ(out.place(), Place::Gpu(0));
  EXPECT_EQ(out.buffer()->place(), Place::Gpu(0));
  EXPECT_THAT(ToVector<float>(out), ElementsAre(-1, -2));
  DenseTensor again;
  ASSERT_THAT(RunOp(fake_negate, {&x_}, {&again}), IsOk());
  ASSERT_EQ(FallbackLog().size(), 1u);
  const Fallback& fallback = FallbackLog()[0];
  EXPECT_EQ(fallback.op, "negate");
  EXPECT_EQ(fallback.from, Place::Gpu(0));
  EXPECT_EQ(fallback.to, Place::Cpu());
  EXPECT_EQ(fallback.count, 2);
  EXPECT_EQ(fallback.bytes, 2 * (8 + 8));
  ASSERT_EQ(log.lines().size(), 2u);
  EXPECT_EQ(
      log.lines()[0],
      "negate float32[2] -> cpu float32 (naive_kernels.h:1) transforms: copy x "
      "to cpu fallback: gpu:0 -> cpu");
}

TEST_F(FallbackTest, IsAnErrorWhereStrict) {
  selection::Policy policy = Allowed();
  policy.strict = true;
  const PolicyScope strict(policy);
  DenseTensor out;
  EXPECT_THAT(RunOp(fake_negate, {&x_}, {&out}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("negate: a strict policy forbids")));
  EXPECT_TRUE(FallbackLog().empty());
}

TEST_F(FallbackTest, IsNotTakenForAView) {
  for (const selection::Policy& policy : {selection::Policy(), Allowed()}) {
    const PolicyScope scope(policy);
    DenseTensor x = OnGpu({4}, {1, 2, 3, 4});
    // The second time as it is remembered.
    for (int i = 0; i < 2; ++i) {
      DenseTensor out;
      ASSERT_THAT(RunOp(fake_half, {&x}, {&out}), IsOk());
      EXPECT_EQ(out.place(), Place::Gpu(0));
      EXPECT_EQ(out.buffer(), x.buffer());
      EXPECT_THAT(ToVector<float>(out), ElementsAre(1, 2));
    }
  }
  EXPECT_TRUE(FallbackLog().empty());
}

TEST_F(FallbackTest, IsNotTakenWhereTheDeviceHasAKernel) {
  const PolicyScope allowed(Allowed());
  DenseTensor out;
  ASSERT_THAT(RunOp(fake_plus, {&x_, &x_}, {&out}), IsOk());
  EXPECT_EQ(out.place(), Place::Gpu(0));
  EXPECT_TRUE(FallbackLog().empty());
}

TEST(Call, TensorsOfTwoPlacesDontMix) {
  const DenseTensor host = MakeTensor<float>({2}, {1, 2});
  const DenseTensor device = OnGpu({2}, {1, 2});
  DenseTensor out;
  EXPECT_THAT(RunOp(fake_plus, {&device, &host}, {&out}),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("y must be on gpu:0, got cpu")));
}

TEST(SelectionRecorder, HearsItsThreadAndNests) {
  const DenseTensor x = MakeTensor<float>({2}, {1, 2});
  DenseTensor out;
  const SelectionRecorder outer;
  ASSERT_THAT(RunOp(fake_negate, {&x}, {&out}), IsOk());
  {
    const SelectionRecorder inner;
    ASSERT_THAT(RunOp(fake_plus, {&x, &x}, {&out}), IsOk());
    EXPECT_EQ(inner.lines().size(), 1u);
  }
  EXPECT_THAT(RunOp(fake_plus, {&x, nullptr}, {&out}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(
      outer.lines(),
      ElementsAre("negate float32[2] -> cpu float32 (naive_kernels.h:1) "
                  "transforms: none",
                  "plus float32[2], float32[2] -> cpu float32 "
                  "(naive_kernels.h:1) transforms: none"));
}

TEST(PolicyScope, PutsTheOldPolicyBack) {
  {
    const PolicyScope scope(selection::Policy::Only(backend_reference));
    const DenseTensor x = MakeTensor<float>({2}, {1, 2});
    DenseTensor out;
    EXPECT_THAT(RunOp(fake_negate, {&x}, {&out}),
                StatusIs(absl::StatusCode::kNotFound));
  }
  EXPECT_EQ(Environment::Current().policy.backends,
            selection::Policy().backends);
}

TEST(Call, AWarmCallOfEightTensorsTakesNothingFromTheHeap) {
  const DenseTensor x = MakeTensor<float>({1}, {1});
  const DenseTensor y = MakeTensor<float>({1}, {2});
  const TensorBase* const inputs[] = {&x, &y};
  {
    DenseTensor warm;
    TensorBase* const outputs[] = {&warm};
    Call call(fake_plus.info, {inputs, {}, outputs});
    ASSERT_THAT(call.Run(fake_plus.op_kernels), IsOk());
  }
  const AllocationCounter counter;
  for (int i = 0; i < 100; ++i) {
    DenseTensor out;
    TensorBase* const outputs[] = {&out};
    Call call(fake_plus.info, {inputs, {}, outputs});
    ASSERT_TRUE(call.Run(fake_plus.op_kernels).ok());
  }
  EXPECT_EQ(counter.count(), 0);
}

}  // namespace
}  // namespace switchyard::phi::dispatch

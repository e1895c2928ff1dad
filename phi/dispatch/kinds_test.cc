// SPDX-License-Identifier: Apache-2.0
// Calls whose tensors are not all dense: outputs are made of the kinds that
// InferMeta tells, the first time and when the call is remembered, and inputs
// of a kind that no kernel takes are refused by name.
#include <memory>
#include <vector>

#include "framework/tensor/owned_tensor.h"
#include "framework/tensor/selected_rows.h"
#include "framework/tensor/tensor_array.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/core/owned_kernel_table.h"
#include "phi/dispatch/call.h"
#include "phi/dispatch/testing/fake_kernels.h"
#include "phi/selection/fallback_log.h"

namespace switchyard::phi::dispatch {
namespace {

using selection::ClearFallbackLog;
using selection::FallbackLog;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

int inferred = 0;

// fake_rows, its InferMeta counted.
const OpInfo& CountedRows() {
  static const OpInfo info = [] {
    OpInfo counted = fake_rows.info;
    counted.infer_meta = [](const InferMetaContext& context) {
      ++inferred;
      return fake_rows.info.infer_meta(context);
    };
    return counted;
  }();
  return info;
}

// Makes the one output of a call.
class OneMaker final : public OutputMaker {
 public:
  explicit OneMaker(TensorBase** output) : output_(output) {}
  void Make(int slot, TensorKind kind) override {
    EXPECT_EQ(slot, 0);
    made_ = NewTensor(kind);
    *output_ = made_.get();
  }

 private:
  TensorBase** output_;
  OwnedTensor made_;
};

absl::Status RunRows(const DenseTensor& x, bool sparse, OutputMaker* maker,
                     TensorBase** out) {
  const TensorBase* const inputs[] = {&x};
  const AttrRef attrs[] = {sparse};
  Call call(CountedRows(), {inputs, attrs, absl::MakeSpan(out, 1)}, maker);
  return call.Run(fake_rows.op_kernels);
}

TEST(CallKindsTest, OutputsAreOfTheKindThatIsInferred) {
  const DenseTensor x = MakeTensor<float>({2, 1}, {1, 2});
  for (const bool sparse : {true, false, true, false}) {
    DenseTensor dense;
    TensorBase* out = &dense;
    OneMaker maker(&out);
    ASSERT_THAT(RunRows(x, sparse, &maker, &out), IsOk());
    EXPECT_EQ(out->kind(),
              sparse ? TensorKind::kSelectedRows : TensorKind::kDense);
    EXPECT_EQ(out->shape(), x.shape());
    EXPECT_EQ(out->buffer() == x.buffer(), sparse);
  }
  // Each of the two was inferred once.
  EXPECT_EQ(inferred, 2);
}

TEST(CallKindsTest, AnotherKindThanTheCallerTakesIsATypeError) {
  const DenseTensor x = MakeTensor<float>({3, 1}, {1, 2, 3});
  const int before = Launches();
  const auto refused = [&x] {
    DenseTensor dense;
    TensorBase* out = &dense;
    EXPECT_THAT(RunRows(x, true, nullptr, &out),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         "rows: out must be selected_rows, got dense"));
    EXPECT_FALSE(dense.allocated());
  };
  refused();
  EXPECT_EQ(Launches(), before);
  DenseTensor dense;
  TensorBase* out = &dense;
  OneMaker maker(&out);
  ASSERT_THAT(RunRows(x, true, &maker, &out), IsOk());
  // Once more, by what is remembered.
  refused();
  EXPECT_EQ(Launches(), before + 1);
}

TEST(CallKindsTest, TheKindsOfInputsMakeAnotherCall) {
  const DenseTensor x = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  const SelectedRows rows(2, {0, 1}, x);
  for (const TensorBase* input : std::vector<const TensorBase*>{&x, &rows}) {
    const TensorBase* const inputs[] = {input};
    DenseTensor out;
    TensorBase* const outputs[] = {&out};
    const absl::Status status = Call(fake_negate.info, {inputs, {}, outputs})
                                    .Run(fake_negate.op_kernels);
    if (input == &x) {
      EXPECT_THAT(status, IsOk());
    } else {
      EXPECT_THAT(status,
                  StatusIs(absl::StatusCode::kNotFound,
                           HasSubstr("x must be dense, got selected_rows")));
    }
  }
}

TEST(CallKindsTest, ATensorOfAListIsRefusedByName) {
  const DenseTensor one = MakeTensor<float>({1}, {1});
  const SelectedRows rows(4, {1}, MakeTensor<float>({1, 2}, {1, 2}));
  const TensorBase* const list[] = {&one, &rows};
  const uint16_t begins[] = {0, 2};
  const AttrRef attrs[] = {"", absl::Span<const int64_t>()};
  DenseTensor joined;
  TensorBase* const outputs[] = {&joined};
  Call call(fake_join.info, {{list, ArgSegments(begins, 1)}, attrs, outputs});
  EXPECT_THAT(call.Run(fake_join.op_kernels),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("x[1] must be dense, got selected_rows")));
}

selection::Policy AllowedFallback() {
  selection::Policy policy;
  policy.allow_fallback = true;
  return policy;
}

TEST(CallKindsTest, AFallbackCopiesTheRowsThatItYields) {
  const PolicyScope allowed(AllowedFallback());
  ClearFallbackLog();
  const DenseTensor x = OnGpu({2, 1}, {1, 2});
  DenseTensor dense;
  TensorBase* out = &dense;
  OneMaker maker(&out);
  ASSERT_THAT(RunRows(x, true, &maker, &out), IsOk());
  ASSERT_EQ(out->kind(), TensorKind::kSelectedRows);
  const auto& rows = static_cast<const SelectedRows&>(*out);
  EXPECT_EQ(rows.place(), Place::Gpu(0));
  EXPECT_EQ(rows.values().buffer()->place(), Place::Gpu(0));
  EXPECT_EQ(rows.rows().size(), 2u);
  EXPECT_THAT(ToVector<float>(rows.values()), ElementsAre(1, 2));
  ASSERT_EQ(FallbackLog().size(), 1u);
  EXPECT_EQ(FallbackLog()[0].bytes, 8 + 8);
}

// Writes the values of x, which must lie on the CPU.
absl::Status WriteValues(KernelContext& c) {
  const auto& x = static_cast<const SelectedRows&>(c.inputs.one(0));
  EXPECT_EQ(x.place(), Place::Cpu());
  EXPECT_THAT(x.rows(), ElementsAre(1, 0));
  auto& out = static_cast<DenseTensor&>(c.outputs.one(0));
  for (int64_t i = 0; i < out.numel(); ++i) {
    out.mutable_data<float>()[i] = x.values().data<float>()[i];
  }
  return absl::OkStatus();
}

// A kernel of negate on the CPU whose input is as `input` says.
KernelDef KernelOfKind(const ArgDef* input) {
  KernelDef def = *fake_negate.op_kernels.candidates(DataType::kFloat32)[0];
  def.inputs = absl::MakeConstSpan(input, 1);
  def.thunk = &WriteValues;
  return def;
}

absl::Status FallBackWith(const TensorBase& x, DenseTensor* out) {
  ArgDef input;
  input.kind = x.kind();
  const KernelDef def = KernelOfKind(&input);
  const auto table = MakeKernelTable({&def});
  const PolicyScope allowed(AllowedFallback());
  const TensorBase* const inputs[] = {&x};
  TensorBase* const outputs[] = {out};
  return Call(fake_negate.info, {inputs, {}, outputs})
      .Run(*(*table)->table().Find("negate"));
}

TEST(CallKindsTest, AFallbackCopiesTheRowsThatItTakes) {
  const SelectedRows x(2, {1, 0}, OnGpu({2, 1}, {3, 4}));
  ClearFallbackLog();
  DenseTensor out;
  ASSERT_THAT(FallBackWith(x, &out), IsOk());
  EXPECT_EQ(out.place(), Place::Gpu(0));
  EXPECT_THAT(ToVector<float>(out), ElementsAre(3, 4));
  ASSERT_EQ(FallbackLog().size(), 1u);
  EXPECT_EQ(FallbackLog()[0].bytes, 8 + 8);
}

TEST(CallKindsTest, AFallbackRefusesOtherKindsByName) {
  const auto element = std::make_shared<const DenseTensor>(OnGpu({2}, {3, 4}));
  const TensorArray x(DataType::kFloat32, Shape({2}), Place::Gpu(0),
                      ElementList({element}));
  DenseTensor out;
  EXPECT_THAT(FallBackWith(x, &out),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "negate: x must be dense or SelectedRows for a fallback "
                       "from gpu:0 to cpu, got tensor_array"));
}

}  // namespace
}  // namespace switchyard::phi::dispatch

// SPDX-License-Identifier: Apache-2.0
// Calls whose tensors are not all dense: outputs are made of the kinds that
// InferMeta tells, the first time and when the call is remembered, and inputs
// of a kind that no kernel takes are refused by name.
#include <vector>

#include "framework/tensor/owned_tensor.h"
#include "framework/tensor/selected_rows.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/dispatch/call.h"
#include "phi/dispatch/testing/fake_kernels.h"

namespace switchyard::phi::dispatch {
namespace {

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

}  // namespace
}  // namespace switchyard::phi::dispatch

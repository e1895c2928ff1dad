// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/dispatch_cache.h"

#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/core/owned_kernel_table.h"
#include "phi/dispatch/call.h"
#include "phi/dispatch/selection_recorder.h"
#include "phi/dispatch/testing/fake_kernels.h"

namespace switchyard::phi::dispatch {
namespace {

using selection::Policy;
using ::testing::ElementsAre;

int inferred = 0;

// The fake operators, their InferMeta counted.
template <const FakeOp& kOp>
const OpInfo& Counted() {
  static const OpInfo info = [] {
    OpInfo counted = kOp.info;
    counted.infer_meta = [](const InferMetaContext& context) {
      ++inferred;
      return kOp.info.infer_meta(context);
    };
    return counted;
  }();
  return info;
}

absl::StatusOr<DenseTensor> RunOp(const OpInfo& info,
                                  const OpKernels& op_kernels,
                                  const std::vector<const TensorBase*>& inputs,
                                  const std::vector<AttrRef>& attrs = {}) {
  DenseTensor out;
  TensorBase* const outputs[] = {&out};
  Call call(info, {inputs, attrs, outputs});
  SY_RETURN_IF_ERROR(call.Run(op_kernels));
  return out;
}

absl::StatusOr<DenseTensor> Plus(const DenseTensor& x, const DenseTensor& y) {
  return RunOp(Counted<fake_plus>(), fake_plus.op_kernels, {&x, &y});
}

absl::StatusOr<DenseTensor> Fill(int64_t extent) {
  return RunOp(Counted<fake_fill>(), fake_fill.op_kernels, {}, {extent});
}

absl::Status Join(const std::vector<const TensorBase*>& x,
                  std::string_view order, const std::vector<int64_t>& weights) {
  const AttrRef attrs[] = {order, absl::MakeConstSpan(weights)};
  const uint16_t begins[] = {0, static_cast<uint16_t>(x.size())};
  DenseTensor out;
  TensorBase* const outputs[] = {&out};
  Call call(Counted<fake_join>(),
            {{x, ArgSegments(begins, 1)}, attrs, outputs});
  return call.Run(fake_join.op_kernels);
}

// How often InferMeta runs in `call`.
int Inferred(const std::function<absl::Status()>& call) {
  const int before = inferred;
  EXPECT_THAT(call(), IsOk());
  return inferred - before;
}

class DispatchCacheTest : public ::testing::Test {
 protected:
  const DenseTensor x_ = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  const DenseTensor y_ = MakeTensor<float>({2, 2}, {10, 20, 30, 40});
};

TEST_F(DispatchCacheTest, TheSameCallIsInferredOnce) {
  ASSERT_THAT(Plus(x_, x_), IsOk());
  const int before = inferred;
  const auto sum = Plus(x_, y_);  // Other elements: the same call.
  ASSERT_THAT(sum, IsOk());
  EXPECT_EQ(inferred, before);
  EXPECT_EQ(sum->shape(), x_.shape());
  EXPECT_THAT(ToVector<float>(*sum), ElementsAre(11, 22, 33, 44));
}

TEST_F(DispatchCacheTest, WhateverSelectionLooksAtMakesAnotherCall) {
  const auto usual = [this] { return Plus(x_, y_).status(); };
  ASSERT_THAT(usual(), IsOk());
  const DenseTensor flat = MakeTensor<float>({4}, {1, 2, 3, 4});
  const DenseTensor number = MakeScalarTensor<float>(1);
  const DenseTensor twice = MakeTensor<double>({2, 2}, {1, 2, 3, 4});
  const DenseTensor strided = TransposedView(x_, {1, 0});
  const DenseTensor device = OnGpu({2, 2}, {1, 2, 3, 4});
  const std::pair<const DenseTensor*, const DenseTensor*> others[] = {
      {&flat, &flat},
      {&x_, &number},
      {&twice, &twice},
      {&strided, &y_},
      {&device, &device}};
  for (const auto& [x, y] : others) {
    EXPECT_EQ(Inferred([&] { return Plus(*x, *y).status(); }), 1);
    ASSERT_THAT(usual(), IsOk());
    EXPECT_EQ(Inferred(usual), 0);
  }
  {
    const PolicyScope scope(Policy::Only(backend_cpu));
    EXPECT_EQ(Inferred(usual), 1);
    EXPECT_EQ(Inferred(usual), 0);
  }
  EXPECT_EQ(Inferred(usual), 0);
}

TEST_F(DispatchCacheTest, AttributesAndThePlaceOfNoTensorsAreInTheKey) {
  ASSERT_THAT(Fill(3), IsOk());
  EXPECT_EQ(Inferred([] { return Fill(3).status(); }), 0);
  EXPECT_EQ(Inferred([] { return Fill(4).status(); }), 1);
  const auto four = Fill(4);
  ASSERT_THAT(four, IsOk());
  EXPECT_EQ(four->shape(), Shape({4, 4}));
  Environment::Current().default_place = Place::Gpu(0);
  EXPECT_THAT(Fill(4), StatusIs(absl::StatusCode::kNotFound));
  Environment::Current().default_place = Place::Cpu();
}

TEST_F(DispatchCacheTest, ListsOfTensorsAreInTheKey) {
  const DenseTensor x = MakeTensor<float>({2}, {1, 2});
  const DenseTensor y = MakeTensor<float>({3}, {1, 2, 3});
  const auto two = [&] { return Join({&x, &y}, "", {}); };
  ASSERT_THAT(two(), IsOk());
  EXPECT_EQ(Inferred(two), 0);
  EXPECT_EQ(Inferred([&] { return Join({&x}, "", {}); }), 1);
  EXPECT_EQ(Inferred([&] { return Join({&y, &x}, "", {}); }), 1);
  EXPECT_EQ(Inferred([&] { return Join({&x, &y, &y}, "", {}); }), 1);
  EXPECT_EQ(Inferred(two), 0);
  // More than a key holds is inferred each time.
  const std::vector<const TensorBase*> many(100, &x);
  EXPECT_EQ(Inferred([&] { return Join(many, "", {}); }), 1);
  EXPECT_EQ(Inferred([&] { return Join(many, "", {}); }), 1);
}

TEST_F(DispatchCacheTest, ListsAndTextAreComparedByValue) {
  const DenseTensor x = MakeTensor<float>({2}, {1, 2});
  const auto join = [&](std::string_view order,
                        const std::vector<int64_t>& weights) {
    return Inferred([&] { return Join({&x}, order, weights); });
  };
  const std::string text = "forwards!";
  EXPECT_EQ(join(text, {1, 2}), 1);
  EXPECT_EQ(join(std::string(text), {1, 2}), 0);  // In another place.
  EXPECT_EQ(join("forwards?", {1, 2}), 1);        // After the first word.
  EXPECT_EQ(join("forwards", {1, 2}), 1);
  EXPECT_EQ(join(std::string("forwards\0", 9), {1, 2}), 1);
  EXPECT_EQ(join(text, {2, 1}), 1);
  EXPECT_EQ(join(text, {1}), 1);
  EXPECT_EQ(join(text, {1, 2}), 0);
  const std::vector<int64_t> many(100, 1);
  EXPECT_EQ(join(text, many), 1);
  EXPECT_EQ(join(text, many), 1);
}

TEST_F(DispatchCacheTest, AThreadRemembersABoundedNumberOfCalls) {
  const DenseTensor x = MakeTensor<float>({2}, {1, 2});
  const auto join = [&](int64_t weight) { return Join({&x}, "", {weight}); };
  for (int64_t weight = 0; weight <= 8192; ++weight) {
    ASSERT_THAT(join(weight), IsOk());
  }
  EXPECT_EQ(Inferred([&] { return join(8192); }), 0);
  int inferred_again = 0;
  for (int64_t weight = 0; weight <= 8192; ++weight) {
    inferred_again += Inferred([&] { return join(weight); });
  }
  EXPECT_GE(inferred_again, 8192 - 1024);
}

TEST_F(DispatchCacheTest, CallsThatTakeTurnsAreRemembered) {
  std::vector<DenseTensor> tensors;
  for (int64_t extent = 1; extent <= 32; ++extent) {
    const std::vector<float> ones(extent, 1.0f);
    tensors.push_back(MakeTensor<float>({extent}, absl::MakeConstSpan(ones)));
  }
  const std::vector<OpInfo> operators(112, Counted<fake_plus>());
  const auto all = [&] {
    for (const DenseTensor& tensor : tensors) {
      SY_RETURN_IF_ERROR(Plus(tensor, tensor).status());
    }
    for (const OpInfo& info : operators) {
      SY_RETURN_IF_ERROR(
          RunOp(info, fake_plus.op_kernels, {&x_, &y_}).status());
    }
    return absl::OkStatus();
  };
  EXPECT_EQ(Inferred(all), 144);
  // Addresses decide the sets: nine calls may meet in one, hardly ever.
  EXPECT_LE(Inferred(all), 9);
}

TEST_F(DispatchCacheTest, ATableThatComesOrGoesEndsWhatWasLearnt) {
  const auto call = [this] { return Plus(x_, y_).status(); };
  ASSERT_THAT(call(), IsOk());
  {
    const auto table = MakeKernelTable(fake_plus.op_kernels.kernels);
    ASSERT_THAT(table, IsOk());
    EXPECT_EQ(Inferred(call), 1);
    EXPECT_EQ(Inferred(call), 0);
  }
  EXPECT_EQ(Inferred(call), 1);
}

TEST_F(DispatchCacheTest, TransformsAreRememberedWithTheirCall) {
  const DenseTensor strided = TransposedView(x_, {1, 0});
  DenseTensor out;
  const auto transformed = [&] {
    const auto negated =
        RunOp(Counted<fake_negate>(), fake_negate.op_kernels, {&strided});
    if (negated.ok()) out = *negated;
    return negated.status();
  };
  EXPECT_EQ(Inferred(transformed), 1);
  const DenseTensor first = out;
  EXPECT_EQ(Inferred(transformed), 0);
  EXPECT_TRUE(TensorsIdentical(out, first));
}

TEST_F(DispatchCacheTest, WhatPromotesOrWritesInPlaceIsNotRemembered) {
  const DenseTensor twice = MakeTensor<double>({2, 2}, {1, 2, 3, 4});
  const auto promoted = [&] { return Plus(x_, twice).status(); };
  EXPECT_EQ(Inferred(promoted), 1);
  EXPECT_EQ(Inferred(promoted), 1);
  const auto in_place = [&] {
    DenseTensor out = x_;
    const TensorBase* const inputs[] = {&x_, &y_};
    TensorBase* const outputs[] = {&out};
    return Call(Counted<fake_plus>(), {inputs, {}, outputs})
        .Run(fake_plus.op_kernels);
  };
  EXPECT_EQ(Inferred(in_place), 1);
  EXPECT_EQ(Inferred(in_place), 1);
}

TEST_F(DispatchCacheTest, AnInputWithoutDataIsStillAnError) {
  ASSERT_THAT(Plus(x_, y_), IsOk());
  DenseTensor nothing;
  nothing.SetMeta(DataType::kFloat32, {2, 2}, Place::Cpu());
  EXPECT_THAT(Plus(x_, nothing), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(DispatchCacheTest, AWrongNumberOfArgumentsIsStillAnError) {
  ASSERT_THAT(Fill(3), IsOk());
  EXPECT_THAT(RunOp(Counted<fake_fill>(), fake_fill.op_kernels, {}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  const std::vector<AttrRef> many(20, AttrRef(int64_t{3}));
  EXPECT_THAT(RunOp(Counted<fake_fill>(), fake_fill.op_kernels, {}, many),
              StatusIs(absl::StatusCode::kInvalidArgument));
  // The right number of tensors, but two of them in one argument.
  ASSERT_THAT(Plus(x_, y_), IsOk());
  const TensorBase* const inputs[] = {&x_, &y_};
  const uint16_t begins[] = {0, 2, 2};
  DenseTensor out;
  TensorBase* const outputs[] = {&out};
  Call call(Counted<fake_plus>(),
            {{inputs, ArgSegments(begins, 2)}, {}, outputs});
  EXPECT_THAT(call.Run(fake_plus.op_kernels),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(DispatchCacheTest, EachThreadHasItsOwn) {
  ASSERT_THAT(Plus(x_, y_), IsOk());
  const int before = inferred;
  std::thread([this] { EXPECT_THAT(Plus(x_, y_), IsOk()); }).join();
  EXPECT_EQ(inferred, before + 1);
}

// One call of the permutation test.
struct Choice {
  const FakeOp* op;
  std::vector<DenseTensor> inputs;
  Policy policy;
};

const KernelDef* Chosen(const Choice& choice, Shape* shape) {
  const PolicyScope scope(choice.policy);
  std::vector<const TensorBase*> inputs;
  for (const DenseTensor& input : choice.inputs) inputs.push_back(&input);
  DenseTensor out;
  TensorBase* const outputs[] = {&out};
  Call call(choice.op->info, {inputs, {}, outputs});
  EXPECT_THAT(call.Run(choice.op->op_kernels), IsOk());
  *shape = out.shape();
  return &call.kernel();
}

TEST_F(DispatchCacheTest, NoOrderOfCallsChangesAChoice) {
  std::vector<Choice> choices;
  for (int64_t extent = 1; extent <= 5; ++extent) {
    const std::vector<float> ones(extent, 1.0f);
    const DenseTensor tensor =
        MakeTensor<float>({extent}, absl::MakeConstSpan(ones));
    choices.push_back({&fake_plus, {tensor, tensor}, Policy()});
    choices.push_back({&fake_negate, {tensor}, Policy()});
    choices.push_back(
        {&fake_plus, {tensor, tensor}, Policy::Only(backend_cpu)});
  }
  const DenseTensor twice = MakeTensor<double>({2}, {1, 2});
  choices.push_back({&fake_plus, {twice, twice}, Policy()});
  const DenseTensor device = OnGpu({2}, {1, 2});
  choices.push_back({&fake_plus, {device, device}, Policy()});
  // A recorded call is selected again.
  std::vector<const KernelDef*> expected;
  std::vector<Shape> shapes(choices.size());
  {
    const SelectionRecorder anew;
    for (size_t i = 0; i < choices.size(); ++i) {
      expected.push_back(Chosen(choices[i], &shapes[i]));
    }
  }
  std::mt19937 random(5);
  for (int round = 0; round < 1000; ++round) {
    const size_t i = random() % choices.size();
    Shape shape;
    ASSERT_EQ(Chosen(choices[i], &shape), expected[i]) << i;
    ASSERT_EQ(shape, shapes[i]) << i;
  }
}

}  // namespace
}  // namespace switchyard::phi::dispatch

// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "framework/tensor/selected_rows.h"
#include "gtest/gtest.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_tables.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

using ::testing::ElementsAre;

const Shape kShapes[] = {Shape({0}), Shape(), Shape({9}), Shape({300, 250})};

template <typename T>
class OptimizerTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(OptimizerTest, Types);

TYPED_TEST(OptimizerTest, StepsLikeReference) {
  using T = TypeParam;
  const Tolerance tolerance{1e-6, 1e-5};
  const DenseTensor rate = MakeTensor<T>(Shape({1}), {T(0.05)});
  const DenseTensor pow1 = MakeTensor<T>(Shape({1}), {T(0.9)});
  const DenseTensor pow2 = MakeTensor<T>(Shape({1}), {T(0.999)});
  for (const Shape& shape : kShapes) {
    const DenseTensor param = RandomTensor<T>(shape);
    const DenseTensor grad = RandomTensor<T>(shape, -1, 1, /*seed=*/2);
    const DenseTensor state = RandomTensor<T>(shape, -1, 1, /*seed=*/3);
    const DenseTensor square = RandomTensor<T>(shape, 0, 1, /*seed=*/4);
    CheckAgainstReference({"sgd_", {param, rate, grad}}, tolerance);
    for (const bool nesterov : {false, true}) {
      for (const char* method : {"", "l2_decay"}) {
        CheckAgainstReference({"momentum_",
                               {param, grad, state, rate},
                               {0.9f, nesterov, method, 0.01f, 0.5f}},
                              tolerance);
      }
    }
    const DenseTensor largest = RandomTensor<T>(shape, 0, 1, /*seed=*/5);
    for (const bool amsgrad : {false, true}) {
      const std::vector<DenseTensor> inputs = {
          param,
          grad,
          rate,
          state,
          square,
          pow1,
          pow2,
          amsgrad ? largest : DenseTensor(),
          amsgrad ? DenseTensor() : largest,
          amsgrad ? DenseTensor() : MakeTensor<bool>(Shape({1}), {false})};
      CheckAgainstReference(
          {"adam_",
           inputs,
           {0.9f, 0.999f, 1e-8f, false, amsgrad, false, false}},
          tolerance);
      CheckAgainstReference(
          {"adamw_",
           inputs,
           {0.9f, 0.999f, 1e-8f, 0.5f, 0.1f, true, amsgrad, amsgrad, !amsgrad}},
          tolerance);
    }
  }
}

TYPED_TEST(OptimizerTest, StepsByHistoryLikeReference) {
  using T = TypeParam;
  const Tolerance tolerance{2e-5, 2e-5};
  const DenseTensor rate = MakeTensor<T>(Shape({1}), {T(0.05)});
  const DenseTensor pow = MakeTensor<T>(Shape({1}), {T(0.9)});
  for (const Shape& shape : kShapes) {
    const DenseTensor param = RandomTensor<T>(shape);
    const DenseTensor grad = RandomTensor<T>(shape, -1, 1, /*seed=*/2);
    const DenseTensor state = RandomTensor<T>(shape, -0.5, 0.5, /*seed=*/3);
    const DenseTensor square = RandomTensor<T>(shape, 0.5, 1, /*seed=*/4);
    const DenseTensor none;
    for (const bool centered : {false, true}) {
      CheckAgainstReference({"rmsprop_",
                             {param, square, grad, state, rate, state, none},
                             {0.5f, 0.9f, 0.5f, centered, false}},
                            tolerance);
    }
    CheckAgainstReference(
        {"adagrad_", {param, grad, square, rate, none}, {1e-6f, false}},
        tolerance);
    for (const DenseTensor& given : {none, rate}) {
      CheckAgainstReference({"adadelta_",
                             {param, grad, square, square, given, none},
                             {0.95f, 1e-6f, false}},
                            tolerance);
    }
    CheckAgainstReference({"adamax_",
                           {param, grad, rate, state, square, pow, none},
                           {0.9f, 0.99f, 1e-8f, false}},
                          tolerance);
    for (const float decay : {0.0f, 0.1f}) {
      CheckAgainstReference(
          {"lamb_",
           {param, grad, rate, state, square, pow, pow, none, none},
           {decay, 0.9f, 0.99f, 1e-6f, false, false}},
          tolerance);
    }
    CheckAgainstReference(
        {"nadam_",
         {param, grad, rate, square, square, square, state, square, none},
         {0.9f, 0.9f, 1e-8f, 0.004f, false}},
        tolerance);
    // A long average has a variance, a short one none.
    for (const float beta2 : {0.5f, 0.95f}) {
      CheckAgainstReference(
          {"radam_",
           {param, grad, rate, square, square, square, state, square, none},
           {0.9f, beta2, 1e-8f, false}},
          tolerance);
    }
  }
}

TEST(AdamTest, LeavesAllAsItIsWhereTheStepIsSkipped) {
  const Shape shape({3});
  const std::vector<DenseTensor> state = {
      MakeTensor<float>(shape, {1, 2, 3}), MakeTensor<float>(shape, {4, 5, 6}),
      MakeTensor<float>(shape, {7, 8, 9}), MakeTensor<float>(Shape({1}), {0.5}),
      MakeTensor<float>(Shape({1}), {0.25})};
  const DenseTensor largest = MakeTensor<float>(shape, {0, 1, 2});
  const DenseTensor master = MakeTensor<float>(shape, {13, 14, 15});
  const std::vector<AttrRef> adam = {0.9f, 0.999f, 1e-8f, false,
                                     true, true,   false};
  const std::vector<AttrRef> adamw = {0.9f, 0.999f, 1e-8f, 1.0f, 0.1f,
                                      true, false,  true,  true};
  for (const char* backend : {"reference", "cpu"}) {
    for (const bool skip : {true, false}) {
      const std::vector<DenseTensor> inputs = {
          state[0], state[0],
          state[3], state[1],
          state[2], state[3],
          state[4], largest,
          master,   MakeTensor<bool>(Shape({1}), {skip})};
      for (const KernelCase& call : {KernelCase{"adam_", inputs, adam},
                                     KernelCase{"adamw_", inputs, adamw}}) {
        const auto out = RunKernel(call, backend);
        ASSERT_THAT(out, IsOk());
        std::vector<DenseTensor> before = state;
        before.insert(before.end(), {largest, master});
        for (size_t i = 0; i < before.size(); ++i) {
          const bool same =
              ToVector<float>((*out)[i]) == ToVector<float>(before[i]);
          EXPECT_EQ(same, skip) << call.op << " " << i;
        }
      }
    }
  }
}

// Halves are stepped in float32, as is their state.
template <typename T>
void CheckHalves(Tolerance tolerance) {
  const Shape shape({3, 201});
  const DenseTensor rate = MakeTensor<float>(Shape({1}), {0.05f});
  const DenseTensor pow = MakeTensor<float>(Shape({1}), {0.9f});
  const DenseTensor param = RandomTensor<T>(shape);
  const DenseTensor grad = RandomTensor<T>(shape, -1, 1, /*seed=*/2);
  const DenseTensor state = RandomTensor<float>(shape, 0, 1, /*seed=*/3);
  CheckAgainstReference({"sgd_", {param, rate, grad}}, tolerance);
  CheckAgainstReference({"momentum_",
                         {param, grad, state, rate},
                         {0.9f, true, "l2_decay", 0.01f, 1.0f}},
                        tolerance);
  const DenseTensor master = RandomTensor<float>(shape, -2, 2, /*seed=*/4);
  for (const bool multi_precision : {false, true}) {
    CheckAgainstReference(
        {"adam_",
         {param, grad, rate, state, state, pow, pow, state, master,
          DenseTensor()},
         {0.9f, 0.999f, 1e-8f, false, true, multi_precision, false}},
        tolerance);
  }
}

TEST(HalfOptimizerTest, StepsLikeReference) {
  CheckHalves<float16>({1e-3, 2e-3});
  CheckHalves<bfloat16>({1e-2, 1e-2});
}

// Steps that are lost in bfloat16, and add up in its master.
TEST(HalfOptimizerTest, MasterKeepsSmallSteps) {
  for (const char* backend : {"reference", "cpu"}) {
    const DenseTensor one = MakeTensor<float>(Shape({1}), {1.0f});
    const DenseTensor none = MakeTensor<float>(Shape({1}), {0.0f});
    const DenseTensor param =
        MakeTensorOf(DataType::kBFloat16, Shape({1}), {1.0});
    DenseTensor master = one;
    for (int step = 0; step < 8; ++step) {
      const auto stepped = RunKernel(
          {"adam_",
           {param, param, MakeTensor<float>(Shape({1}), {0x1p-10f}), none, none,
            none, none, DenseTensor(), master, DenseTensor()},
           {0.0f, 0.0f, 0.0f, false, false, true, false}},
          backend);
      ASSERT_THAT(stepped, IsOk());
      master = (*stepped)[6];
    }
    EXPECT_EQ(*master.data<float>(), 1 - 0x1p-7f);
  }
}

// The kernels that take a SelectedRows gradient, here with rows of `width`.
absl::Status StepRows(std::string_view backend,
                      const std::vector<int64_t>& rows, DenseTensor* param,
                      int64_t width = 2) {
  const SelectedRows grad(
      3, rows,
      RandomTensor<float>(Shape({static_cast<int64_t>(rows.size()), width}), 1,
                          1.001));
  const DenseTensor rate = MakeTensor<float>(Shape({1}), {0.5f});
  for (const KernelDef* kernel :
       KernelTables::Current().Find("sgd_")->candidates(DataType::kFloat32)) {
    if (kernel->key.backend->name != backend ||
        kernel->inputs[2].kind != TensorKind::kSelectedRows) {
      continue;
    }
    const TensorBase* inputs[] = {param, &rate, &grad};
    TensorBase* outputs[] = {param};
    DeviceContext& device =
        kernel->key.backend->contexts->current(Place::Cpu());
    KernelContext context(device, {inputs, {}, outputs});
    return kernel->thunk(context);
  }
  return absl::NotFoundError("no kernel");
}

TEST(SgdSelectedRowsTest, TouchesItsRowsOnly) {
  for (const char* backend : {"reference", "cpu"}) {
    DenseTensor param = MakeTensor<float>(Shape({3, 2}), {1, 2, 3, 4, 5, 6});
    ASSERT_THAT(StepRows(backend, {2, 0, 2}, &param), IsOk());
    EXPECT_THAT(param, TensorNear(MakeTensor<float>(Shape({3, 2}),
                                                    {0.5, 1.5, 3, 4, 4, 5}),
                                  Within(2e-3)));
    const auto before = ToVector<float>(param);
    EXPECT_THAT(StepRows(backend, {0, 3}, &param),
                StatusIs(absl::StatusCode::kOutOfRange));
    EXPECT_THAT(StepRows(backend, {0, 1}, &param, /*width=*/1),
                StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_EQ(ToVector<float>(param), before);
  }
}

// The state of adam_ and its learning rate:
// param, learning_rate, the moments, the powers, moment2_max, master_param.
using AdamState = std::vector<DenseTensor>;

AdamState MakeAdamState(bool amsgrad, bool master) {
  const Shape whole({4, 3}), one({1});
  return {
      RandomTensor<float>(whole),
      MakeTensor<float>(one, {0.1f}),
      RandomTensor<float>(whole, -1, 1, /*seed=*/2),
      RandomTensor<float>(whole, 0.1, 1, /*seed=*/3),
      MakeTensor<float>(one, {0.5f}),
      MakeTensor<float>(one, {0.25f}),
      amsgrad ? RandomTensor<float>(whole, 0.1, 1, /*seed=*/4) : DenseTensor(),
      master ? RandomTensor<float>(whole, -1, 1, /*seed=*/5) : DenseTensor()};
}

// Steps in place with the kernel for gradients of this kind.
absl::Status StepAdamState(std::string_view backend, const TensorBase& grad,
                           bool lazy, AdamState* state) {
  const auto tensor = [state](int i) {
    DenseTensor& one = (*state)[i];
    return one.dtype() == DataType::kUndefined ? nullptr : &one;
  };
  const TensorBase* inputs[] = {tensor(0), &grad,     tensor(1), tensor(2),
                                tensor(3), tensor(4), tensor(5), tensor(6),
                                tensor(7), nullptr};
  TensorBase* outputs[] = {tensor(0), tensor(2), tensor(3), tensor(4),
                           tensor(5), tensor(6), tensor(7)};
  const AttrRef attrs[] = {
      0.8f, 0.95f, 0.3f, false, tensor(6) != nullptr, tensor(7) != nullptr,
      lazy};
  for (const KernelDef* kernel :
       KernelTables::Current().Find("adam_")->candidates(DataType::kFloat32)) {
    if (kernel->key.backend->name != backend ||
        kernel->inputs[1].kind != grad.kind()) {
      continue;
    }
    DeviceContext& device =
        kernel->key.backend->contexts->current(Place::Cpu());
    KernelContext context(device, {inputs, attrs, outputs});
    return kernel->thunk(context);
  }
  return absl::NotFoundError("no kernel");
}

// Rows 3, 0 and 3 again of a gradient, and the matrix that they stand for.
SelectedRows SomeRows() {
  return SelectedRows(
      4, {3, 0, 3},
      MakeTensor<float>(Shape({3, 3}), {1, 2, 3, -1, 0, 1, 0.5, 0.5, -4}));
}
DenseTensor TheirMatrix() {
  return MakeTensor<float>(Shape({4, 3}),
                           {-1, 0, 1, 0, 0, 0, 0, 0, 0, 1.5, 2.5, -1});
}

void CheckAdamRows(const char* backend, bool amsgrad, bool master) {
  const AdamState before = MakeAdamState(amsgrad, master);
  AdamState dense = MakeAdamState(amsgrad, master);
  ASSERT_THAT(StepAdamState(backend, TheirMatrix(), false, &dense), IsOk());
  for (const bool lazy : {false, true}) {
    AdamState rows = MakeAdamState(amsgrad, master);
    ASSERT_THAT(StepAdamState(backend, SomeRows(), lazy, &rows), IsOk());
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].dtype() == DataType::kUndefined) continue;
      const auto got = ToVector<float>(rows[i]);
      const auto stepped = ToVector<float>(dense[i]);
      const auto old = ToVector<float>(before[i]);
      for (size_t at = 0; at < got.size(); ++at) {
        const bool kept = lazy && got.size() > 1 && at / 3 != 0 && at / 3 != 3;
        EXPECT_EQ(got[at], kept ? old[at] : stepped[at])
            << backend << ", tensor " << i << " at " << at;
      }
    }
  }
}

TEST(AdamSelectedRowsTest, StepsAsWithTheMatrixLazilyItsRowsOnly) {
  for (const char* backend : {"reference", "cpu"}) {
    for (const bool amsgrad : {false, true}) {
      for (const bool master : {false, true}) {
        CheckAdamRows(backend, amsgrad, master);
      }
    }
  }
}

TEST(AdamSelectedRowsTest, LeavesAllWithoutRowsOrOnErrors) {
  const AdamState before = MakeAdamState(true, true);
  for (const char* backend : {"reference", "cpu"}) {
    for (const bool lazy : {false, true}) {
      AdamState state = MakeAdamState(true, true);
      const auto step = [&](std::vector<int64_t> rows, int64_t width) {
        const auto count = static_cast<int64_t>(rows.size());
        return StepAdamState(
            backend,
            SelectedRows(5, std::move(rows),
                         RandomTensor<float>(Shape({count, width}))),
            lazy, &state);
      };
      EXPECT_THAT(step({}, 3), IsOk());
      EXPECT_THAT(step({0, 4}, 3), StatusIs(absl::StatusCode::kOutOfRange));
      EXPECT_THAT(step({0, 1}, 2),
                  StatusIs(absl::StatusCode::kInvalidArgument));
      for (size_t i = 0; i < state.size(); ++i) {
        EXPECT_EQ(ToVector<float>(state[i]), ToVector<float>(before[i]));
      }
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu

// SPDX-License-Identifier: Apache-2.0
#include "phi/core/kernel_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing/matchers.h"
#include "phi/core/added_kernels.h"
#include "phi/core/testing/fake_backends.h"

namespace switchyard::phi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr DataType kF32 = DataType::kFloat32;

constexpr KernelDef Def(const char* op, const char* kernel,
                        const BackendInfo& backend, DataType dtype = kF32) {
  KernelDef def{};
  def.op = op;
  def.kernel = kernel;
  def.key = {&backend, DataLayout::kStrided, dtype};
  def.file = "fake.cc";
  return def;
}

constexpr KernelDef kReluReference = Def("relu", "relu", fake_reference);
constexpr KernelDef kReluCpu = Def("relu", "relu", fake_cpu);
constexpr KernelDef kReluInt = Def("relu", "relu", fake_cpu, DataType::kInt32);
// In the order of the entry, which is not that of their names.
constexpr KernelDef kSgdRows = Def("sgd", "sgd_rows", fake_cpu);
constexpr KernelDef kSgd = Def("sgd", "sgd", fake_cpu);

constexpr const KernelDef* kRelus[] = {&kReluReference, &kReluCpu, &kReluInt};
constexpr const KernelDef* kSgds[] = {&kSgdRows, &kSgd};

OpSlot mul_slot("mul", {}, &KernelTables::FindOpKernels);
OpSlot relu_slot("relu", kRelus, &KernelTables::FindOpKernels);
OpSlot sgd_slot("sgd", kSgds, &KernelTables::FindOpKernels);

}  // namespace

// Returns the slots that a kernel set would define.
absl::Span<OpSlot* const> LinkedSlots() {
  static constexpr OpSlot* kSlots[] = {&mul_slot, &relu_slot, &sgd_slot};
  return kSlots;
}

namespace {

TEST(KernelTables, ASlotAndTheTableHaveTheSameRow) {
  const OpKernels& op_kernels = relu_slot.Get();
  EXPECT_EQ(&op_kernels, KernelTables::Current().Find("relu"));
  EXPECT_EQ(&op_kernels, &relu_slot.Get());
  EXPECT_THAT(op_kernels.candidates(kF32),
              ElementsAre(&kReluCpu, &kReluReference));
  EXPECT_THAT(op_kernels.candidates(DataType::kInt32), ElementsAre(&kReluInt));
}

TEST(KernelTables, KeepsTheEntrysOrderInABackend) {
  EXPECT_THAT(sgd_slot.Get().kernels, ElementsAre(&kSgdRows, &kSgd));
}

TEST(KernelTables, AnOperatorWithoutKernelsHasAnEmptyRow) {
  const OpKernels* op_kernels = KernelTables::Current().Find("mul");
  ASSERT_NE(op_kernels, nullptr);
  EXPECT_TRUE(op_kernels->kernels.empty());
  EXPECT_EQ(KernelTables::Current().Find("add"), nullptr);
}

TEST(KernelTables, AddPutsAnotherTableInForce) {
  static constexpr BackendInfo kFast = {"fast", &device_cpu, 150, true,
                                        nullptr};
  static constexpr KernelDef kReluFast = Def("relu", "relu", kFast);
  static constexpr KernelDef kNew = Def("new", "new", kFast);
  static OpSlot new_slot("new", {}, &KernelTables::FindOpKernels);
  const KernelTable& before = KernelTables::Current();
  const OpKernels& relu_before = relu_slot.Get();
  const OpKernels& sgd_before = sgd_slot.Get();
  const uint32_t epoch = KernelTableEpoch();
  const KernelDef* kernels[] = {&kNew, &kReluFast};
  OpSlot* slots[] = {&new_slot};
  ASSERT_THAT(KernelTables::Add(kernels, slots), IsOk());

  EXPECT_GT(KernelTableEpoch(), epoch);
  const KernelTable& now = KernelTables::Current();
  EXPECT_THAT(relu_slot.Get().candidates(kF32),
              ElementsAre(&kReluFast, &kReluCpu, &kReluReference));
  EXPECT_EQ(now.Find("relu"), &relu_slot.Get());
  EXPECT_THAT(new_slot.Get().kernels, ElementsAre(&kNew));
  EXPECT_EQ(now.FindBackend("fast"), &kFast);
  EXPECT_THAT(now.backends(), ElementsAre(&fake_reference, &fake_cpu, &kFast));
  // The rest is shared, and the old table is what it was.
  EXPECT_EQ(&sgd_slot.Get(), &sgd_before);
  EXPECT_EQ(before.Find("relu"), &relu_before);
  EXPECT_EQ(relu_before.candidates(kF32).size(), 2u);
  EXPECT_EQ(before.Find("new"), nullptr);

  // Another change keeps the slot that came with the first one up to date.
  static constexpr KernelDef kNewCpu = Def("new", "new", fake_cpu);
  const KernelDef* more[] = {&kNewCpu};
  ASSERT_THAT(KernelTables::Add(more, {}), IsOk());
  EXPECT_THAT(new_slot.Get().kernels, ElementsAre(&kNew, &kNewCpu));
}

// Operators without a slot: those that are composed of others.
TEST(AddedKernels, AreThoseOfTheTableInForce) {
  static constexpr KernelDef kFirst = Def("composed", "first", fake_cpu);
  static constexpr KernelDef kSecond =
      Def("composed", "second", fake_reference);
  static OpInfo composed{};
  static OpInfo mul{};
  composed.name = "composed";
  mul.name = "mul";
  EXPECT_EQ(AddedKernels(composed), nullptr);
  const KernelDef* first[] = {&kFirst};
  ASSERT_THAT(KernelTables::Add(first, {}), IsOk());
  ASSERT_NE(AddedKernels(composed), nullptr);
  EXPECT_THAT(AddedKernels(composed)->kernels, ElementsAre(&kFirst));
  const KernelDef* second[] = {&kSecond};
  ASSERT_THAT(KernelTables::Add(second, {}), IsOk());
  EXPECT_THAT(AddedKernels(composed)->kernels, ElementsAre(&kFirst, &kSecond));
  EXPECT_EQ(AddedKernels(composed), KernelTables::Current().Find("composed"));
  // Its row is empty.
  EXPECT_EQ(AddedKernels(mul), nullptr);
}

TEST(KernelTables, AddChangesNothingWhereItFails) {
  static constexpr BackendInfo kOtherCpu = {"cpu", &device_cpu, 1, true,
                                            nullptr};
  static constexpr KernelDef kTwin = Def("sgd", "sgd", fake_cpu);
  static constexpr KernelDef kOther = Def("sgd", "sgd", kOtherCpu);
  const KernelTable& before = KernelTables::Current();
  const KernelDef* twin[] = {&kTwin};
  EXPECT_THAT(KernelTables::Add(twin, {}),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       HasSubstr("sgd: kernel sgd for cpu float32 must be "
                                 "registered once")));
  const KernelDef* other[] = {&kOther};
  EXPECT_THAT(KernelTables::Add(other, {}),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       HasSubstr("two that are named cpu")));
  EXPECT_EQ(&KernelTables::Current(), &before);
}

// relu_grad is composed of multiply and sign.
TEST(KernelTables, TakesTheClosureOfACompositeWithEachTable) {
  static constexpr DataType kF64 = DataType::kFloat64;
  static constexpr KernelDef kGrad = Def("relu_grad", "relu_grad", fake_cpu);
  static constexpr KernelDef kMultiply = Def("multiply", "multiply", fake_gpu);
  static constexpr KernelDef kMultiplyDouble =
      Def("multiply", "multiply", fake_gpu, kF64);
  static constexpr KernelDef kSign = Def("sign", "sign", fake_gpu);
  static constexpr KernelDef kSignOnCpu = Def("sign", "sign", fake_cpu, kF64);
  const KernelDef* first[] = {&kGrad, &kMultiply, &kMultiplyDouble,
                              &kSignOnCpu};
  ASSERT_THAT(KernelTables::Add(first, {}), IsOk());
  const OpKernels& before = *KernelTables::Current().Find("relu_grad");
  ASSERT_NE(before.composite, nullptr);
  EXPECT_FALSE(before.composed_alone());
  EXPECT_THAT(before.composed_on, IsEmpty());

  const KernelDef* second[] = {&kSign};
  ASSERT_THAT(KernelTables::Add(second, {}), IsOk());
  const OpKernels& now = *KernelTables::Current().Find("relu_grad");
  ASSERT_THAT(now.composed_on, SizeIs(1));
  EXPECT_EQ(now.composed_on[0].device, &fake_gpu_device);
  EXPECT_EQ(now.composed_on[0].dtypes, 1u << static_cast<int>(kF32));
  EXPECT_THAT(now.kernels, ElementsAre(&kGrad));
  // The old table is what it was.
  EXPECT_THAT(before.composed_on, IsEmpty());
}

}  // namespace
}  // namespace switchyard::phi

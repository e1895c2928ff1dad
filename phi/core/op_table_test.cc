// SPDX-License-Identifier: Apache-2.0
#include "phi/core/op_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing/matchers.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/testing/fake_backends.h"

namespace switchyard::phi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OpSlot mul_slot("mul", {}, &KernelTables::FindOpKernels);

}  // namespace

// Returns the slots that a kernel set would define.
absl::Span<OpSlot* const> LinkedSlots() {
  static constexpr OpSlot* kSlots[] = {&mul_slot};
  return kSlots;
}

namespace {

OpInfo Named(const char* name) {
  OpInfo info{};
  info.name = name;
  return info;
}

KernelDef Kernel(const char* op) {
  KernelDef def{};
  def.op = def.kernel = op;
  def.key = {&fake_cpu, DataLayout::kStrided, DataType::kFloat32};
  def.file = "fake.cc";
  return def;
}

TEST(OpTable, AnAddedOperatorIsFoundAndHasItsKernels) {
  static const OpInfo info = Named("cube");
  static const KernelDef kernel = Kernel("cube");
  static const KernelDef* const kernels[] = {&kernel};
  static OpSlot slot("cube", {}, &KernelTables::FindOpKernels);
  OpTable& table = OpTable::Current();
  EXPECT_EQ(table.Find("cube"), nullptr);
  ASSERT_THAT(table.Add({&info, nullptr, nullptr}, kernels, &slot), IsOk());

  const AddedOp* const added = table.Find("cube");
  ASSERT_NE(added, nullptr);
  EXPECT_EQ(added->info, &info);
  EXPECT_THAT(table.ops(), ElementsAre(added));
  EXPECT_THAT(slot.Get().kernels, ElementsAre(&kernel));
}

TEST(OpTable, RefusesANameThatIsTakenAndChangesNothing) {
  static const OpInfo mul = Named("mul");
  static const OpInfo twice = Named("twice");
  static const KernelDef kernel = Kernel("twice");
  static const KernelDef* const kernels[] = {&kernel};
  static const KernelDef* const same_kernels[] = {&kernel, &kernel};
  static OpSlot slot("twice", {}, &KernelTables::FindOpKernels);
  OpTable& table = OpTable::Current();
  const size_t before = table.ops().size();
  EXPECT_THAT(table.Add({&mul, nullptr, nullptr}, {}, &mul_slot),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       HasSubstr("mul: there is an operator of this name")));
  // Kernels that the kernel table refuses.
  EXPECT_THAT(table.Add({&twice, nullptr, nullptr}, same_kernels, &slot),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("once")));
  EXPECT_EQ(table.Find("twice"), nullptr);
  EXPECT_EQ(table.ops().size(), before);

  ASSERT_THAT(table.Add({&twice, nullptr, nullptr}, kernels, &slot), IsOk());
  EXPECT_THAT(table.Add({&twice, nullptr, nullptr}, kernels, &slot),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("twice")));
  EXPECT_EQ(table.ops().size(), before + 1);
}

}  // namespace
}  // namespace switchyard::phi

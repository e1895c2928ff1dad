// SPDX-License-Identifier: Apache-2.0
#include "phi/core/owned_kernel_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "phi/core/testing/fake_backends.h"

namespace switchyard::phi {
namespace {

using ::testing::ElementsAre;

KernelDef Def(const char* op, const char* kernel, const BackendInfo& backend,
              DataType dtype, KernelOrigin origin = KernelOrigin::kPhi) {
  KernelDef def{};
  def.op = op;
  def.kernel = kernel;
  def.key = {&backend, DataLayout::kStrided, dtype};
  def.origin = origin;
  def.file = "phi/kernels/fake.cc";
  def.line = 7;
  return def;
}

TEST(CandidateBefore, DtypeThenBackendThenForm) {
  const DataType f32 = DataType::kFloat32;
  const KernelDef ordered[] = {
      Def("softmax", "softmax", fake_reference, DataType::kInt64),
      Def("softmax", "softmax", fake_gpudnn, f32),
      Def("softmax", "softmax", fake_gpu, f32),
      Def("softmax", "softmax", fake_onednn, f32),
      Def("softmax", "softmax", fake_onednn, f32, KernelOrigin::kFluid),
      Def("softmax", "softmax", fake_cpu, f32),
      Def("softmax", "softmax", fake_cpu, f32, KernelOrigin::kFluid),
      Def("softmax", "softmax", fake_reference, f32),
  };
  const size_t count = std::size(ordered);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) {
      EXPECT_EQ(CandidateBefore(ordered[i], ordered[j]), i < j)
          << i << " " << j;
    }
  }
}

TEST(CandidateBefore, LeavesFunctionsOfABackendInTheirOrder) {
  const KernelDef a = Def("sgd", "sgd", fake_cpu, DataType::kFloat32);
  const KernelDef b = Def("sgd", "sgd_rows", fake_cpu, DataType::kFloat32);
  EXPECT_FALSE(CandidateBefore(a, b));
  EXPECT_FALSE(CandidateBefore(b, a));
}

TEST(CandidateBefore, EqualRanksGoByName) {
  const BackendInfo twin = {"a_twin", &device_cpu, fake_cpu.rank, true,
                            nullptr};
  const KernelDef a = Def("relu", "relu", twin, DataType::kFloat32);
  const KernelDef b = Def("relu", "relu", fake_cpu, DataType::kFloat32);
  EXPECT_TRUE(CandidateBefore(a, b));
  EXPECT_FALSE(CandidateBefore(b, a));
}

TEST(MakeKernelTable, GroupsByOperatorAndDtypeInAnyOrder) {
  const KernelDef defs[] = {
      Def("relu", "relu", fake_cpu, DataType::kFloat32),
      Def("relu", "relu", fake_onednn, DataType::kFloat32),
      Def("relu", "relu", fake_cpu, DataType::kFloat64),
      Def("add", "add", fake_cpu, DataType::kInt32),
  };
  std::vector<const KernelDef*> list;
  for (const KernelDef& def : defs) list.push_back(&def);
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::shuffle(list.begin(), list.end(), random);
    const auto table = MakeKernelTable(list);
    ASSERT_TRUE(table.ok());
    const KernelTable& kernels = (*table)->table();
    ASSERT_EQ(kernels.ops().size(), 2u);
    const OpKernels* relu = kernels.Find("relu");
    ASSERT_NE(relu, nullptr);
    const auto float32 = relu->candidates(DataType::kFloat32);
    ASSERT_EQ(float32.size(), 2u);
    EXPECT_EQ(float32[0], &defs[1]);
    EXPECT_EQ(float32[1], &defs[0]);
    EXPECT_EQ(relu->candidates(DataType::kFloat64).size(), 1u);
    EXPECT_TRUE(relu->candidates(DataType::kInt32).empty());
    EXPECT_TRUE(relu->candidates(DataType::kUndefined).empty());
    EXPECT_EQ(kernels.Find("add")->candidates(DataType::kInt32)[0], &defs[3]);
    EXPECT_EQ(kernels.Find("a"), nullptr);
    EXPECT_THAT(kernels.backends(), ElementsAre(&fake_cpu, &fake_onednn));
    EXPECT_EQ(kernels.FindBackend("onednn"), &fake_onednn);
    EXPECT_EQ(kernels.FindBackend("gpu"), nullptr);
    EXPECT_EQ(kernels.Find("softmax"), nullptr);
  }
}

TEST(MakeKernelTable, AnEmptyOneFindsNothing) {
  const auto table = MakeKernelTable({});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->table().Find("relu"), nullptr);
}

TEST(MakeKernelTable, NamesBothPlacesOfADuplicate) {
  const KernelDef first = Def("relu", "relu", fake_cpu, DataType::kFloat32);
  KernelDef second = first;
  second.line = 9;
  const KernelDef* list[] = {&first, &second};
  const auto table = MakeKernelTable(list);
  EXPECT_EQ(table.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(table.status().message(),
            "relu: kernel relu for cpu float32 must be registered once, got "
            "phi/kernels/fake.cc:7 and phi/kernels/fake.cc:9");
}

TEST(MakeKernelTable, RefusesTwoBackendsOfOneName) {
  const BackendInfo other = {"cpu", &device_cpu, 500, true, nullptr};
  const KernelDef defs[] = {
      Def("relu", "relu", fake_cpu, DataType::kFloat32),
      Def("relu", "relu", other, DataType::kFloat32),
  };
  const KernelDef* list[] = {&defs[0], &defs[1]};
  const auto table = MakeKernelTable(list);
  EXPECT_EQ(table.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(table.status().message(),
            "kernel table: backends must have names of their own, got two that "
            "are named cpu");
}

}  // namespace
}  // namespace switchyard::phi

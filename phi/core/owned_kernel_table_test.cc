// SPDX-License-Identifier: Apache-2.0
#include "phi/core/owned_kernel_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace switchyard::phi {
namespace {

KernelDef Def(const char* op, const char* kernel, Backend backend,
              DataType dtype, Form form = Form::kPhi) {
  KernelDef def{};
  def.op = op;
  def.kernel = kernel;
  def.key = {backend, DataLayout::kStrided, dtype};
  def.form = form;
  def.file = "phi/kernels/fake.cc";
  def.line = 7;
  return def;
}

TEST(CandidateBefore, BackendOutranksFormOutranksName) {
  const DataType f32 = DataType::kFloat32;
  const KernelDef ordered[] = {
      Def("softmax", "softmax", Backend::kReference, DataType::kInt64),
      Def("softmax", "softmax", Backend::kGpudnn, f32),
      Def("softmax", "softmax", Backend::kGpu, f32),
      Def("softmax", "softmax", Backend::kOnednn, f32),
      Def("softmax", "softmax", Backend::kOnednn, f32, Form::kFluid),
      Def("softmax", "softmax", Backend::kCpu, f32),
      Def("softmax", "softmax_rows", Backend::kCpu, f32),
      Def("softmax", "softmax", Backend::kCpu, f32, Form::kFluid),
      Def("softmax", "softmax", Backend::kReference, f32),
  };
  const size_t count = std::size(ordered);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) {
      EXPECT_EQ(CandidateBefore(ordered[i], ordered[j]), i < j)
          << i << " " << j;
    }
  }
}

TEST(MakeKernelTable, GroupsByOperatorAndDtypeInAnyOrder) {
  const KernelDef defs[] = {
      Def("relu", "relu", Backend::kCpu, DataType::kFloat32),
      Def("relu", "relu", Backend::kOnednn, DataType::kFloat32),
      Def("relu", "relu", Backend::kCpu, DataType::kFloat64),
      Def("add", "add", Backend::kCpu, DataType::kInt32),
  };
  std::vector<const KernelDef*> list;
  for (const KernelDef& def : defs) list.push_back(&def);
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::shuffle(list.begin(), list.end(), random);
    const auto table = MakeKernelTable(list);
    ASSERT_TRUE(table.ok());
    const KernelTable& kernels = (*table)->table();
    ASSERT_EQ(kernels.rows().size(), 2u);
    const OpRow* relu = kernels.Find("relu");
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
    EXPECT_EQ(kernels.Find("softmax"), nullptr);
  }
}

TEST(MakeKernelTable, AnEmptyOneFindsNothing) {
  const auto table = MakeKernelTable({});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)->table().Find("relu"), nullptr);
}

TEST(MakeKernelTable, NamesBothPlacesOfADuplicate) {
  const KernelDef first =
      Def("relu", "relu", Backend::kCpu, DataType::kFloat32);
  KernelDef second = first;
  second.line = 9;
  const KernelDef* list[] = {&first, &second};
  const auto table = MakeKernelTable(list);
  EXPECT_EQ(table.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(table.status().message(),
            "relu: kernel relu for cpu float32 must be registered once, got "
            "phi/kernels/fake.cc:7 and phi/kernels/fake.cc:9");
}

}  // namespace
}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "phi/core/testing/launch.h"

namespace switchyard::phi {

extern const KernelDef kernel_lookup_table_fluid_cpu_float32;
extern const KernelDef kernel_lookup_table_grad_fluid_cpu_float32;

namespace fluid {
namespace {

using Floats = std::vector<float>;

DenseTensor Table() { return MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}); }

TEST(FluidLookupTable, CopiesRowsAndPassesSequencesOn) {
  const DenseTensor w = Table();
  DenseTensor ids = MakeTensor<int64_t>({3, 1}, {2, 0, 2});
  ids.SetLod(std::make_shared<const LoD>(LoD{{{0, 1, 3}}}));
  DenseTensor out = EmptyTensor(DataType::kFloat32, {3, 2});
  ASSERT_THAT(Launch(kernel_lookup_table_fluid_cpu_float32, {&w, &ids},
                     {int64_t{-1}}, {&out}),
              IsOk());
  EXPECT_EQ(ToVector<float>(out), (Floats{5, 6, 1, 2, 5, 6}));
  ASSERT_NE(out.lod(), nullptr);
  EXPECT_EQ(out.lod()->offsets, ids.lod()->offsets);

  // Indices that are no sequences give the same output.
  ids.SetLod(nullptr);
  ASSERT_THAT(Launch(kernel_lookup_table_fluid_cpu_float32, {&w, &ids},
                     {int64_t{-1}}, {&out}),
              IsOk());
  EXPECT_EQ(out.lod(), nullptr);
}

TEST(FluidLookupTable, PaddingIsZeroAndMayLieOutside) {
  const DenseTensor w = Table();
  const DenseTensor ids = MakeTensor<int64_t>({2, 1}, {1, 7});
  DenseTensor out = EmptyTensor(DataType::kFloat32, {2, 2});
  ASSERT_THAT(Launch(kernel_lookup_table_fluid_cpu_float32, {&w, &ids},
                     {int64_t{7}}, {&out}),
              IsOk());
  EXPECT_EQ(ToVector<float>(out), (Floats{3, 4, 0, 0}));
}

TEST(FluidLookupTable, ChecksIndicesBeforeItWrites) {
  const DenseTensor w = Table();
  for (const int64_t bad : {int64_t{3}, int64_t{-1}, INT64_MAX, INT64_MIN}) {
    const DenseTensor ids = MakeTensor<int64_t>({2, 1}, {0, bad});
    DenseTensor out = MakeTensor<float>({2, 2}, {9, 9, 9, 9});
    EXPECT_THAT(Launch(kernel_lookup_table_fluid_cpu_float32, {&w, &ids},
                       {int64_t{-1}}, {&out}),
                StatusIs(absl::StatusCode::kOutOfRange,
                         testing::StartsWith("ids must be in [0, 3), got ")));
    EXPECT_EQ(ToVector<float>(out), (Floats{9, 9, 9, 9}));
  }
}

TEST(FluidLookupTableGrad, AddsUpRows) {
  const DenseTensor w = Table();
  const DenseTensor ids = MakeTensor<int64_t>({4, 1}, {2, 0, 2, 1});
  const DenseTensor out_grad =
      MakeTensor<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  DenseTensor w_grad = EmptyTensor(DataType::kFloat32, {3, 2});
  ASSERT_THAT(Launch(kernel_lookup_table_grad_fluid_cpu_float32,
                     {&w, &ids, &out_grad}, {int64_t{1}}, {&w_grad}),
              IsOk());
  EXPECT_EQ(ToVector<float>(w_grad), (Floats{3, 4, 0, 0, 6, 8}));
}

}  // namespace
}  // namespace fluid
}  // namespace switchyard::phi

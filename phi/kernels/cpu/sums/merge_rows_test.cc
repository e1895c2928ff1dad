// SPDX-License-Identifier: Apache-2.0
// merge_selected_rows by every kernel that there is, against rows written out
// here.
#include <string>
#include <vector>

#include "framework/tensor/selected_rows.h"
#include "gtest/gtest.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_tables.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// The kernels of rows of a dtype, whatever their backend and origin.
std::vector<const KernelDef*> KernelsOf(DataType dtype) {
  std::vector<const KernelDef*> found;
  for (const KernelDef* kernel :
       KernelTables::Current().Find("merge_selected_rows")->candidates(dtype)) {
    if (std::string(kernel->kernel) == "merge_selected_rows") {
      found.push_back(kernel);
    }
  }
  return found;
}

absl::Status Merge(const KernelDef& kernel, const SelectedRows& x,
                   SelectedRows* out) {
  const TensorBase* const inputs[] = {&x};
  TensorBase* const outputs[] = {out};
  KernelContext context(kernel.key.backend->contexts->current(Place::Cpu()),
                        {inputs, {}, outputs});
  return kernel.thunk(context);
}

template <typename T>
void CheckMerge() {
  const SelectedRows x(
      6, {3, 0, 3, 5, 0, 3},
      MakeTensor<T>({6, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  ASSERT_GE(KernelsOf(x.dtype()).size(), 2u);
  for (const KernelDef* kernel : KernelsOf(x.dtype())) {
    SelectedRows out;
    ASSERT_THAT(Merge(*kernel, x, &out), IsOk());
    EXPECT_EQ(out.rows(), (std::vector<int64_t>{0, 3, 5}));
    EXPECT_EQ(out.height(), 6);
    EXPECT_EQ(out.values().shape(), Shape({3, 1, 2}));
    EXPECT_EQ(ToVector<T>(out.values()),
              (std::vector<T>{12, 14, 17, 20, 7, 8}));
  }
}

TEST(MergeSelectedRows, AddsTheValuesOfARow) {
  CheckMerge<float>();
  CheckMerge<double>();
}

TEST(MergeSelectedRows, TakesNoRowsAtAll) {
  const SelectedRows none(4, {}, MakeTensor<float>({0, 2}, {}));
  for (const KernelDef* kernel : KernelsOf(DataType::kFloat32)) {
    SelectedRows out;
    ASSERT_THAT(Merge(*kernel, none, &out), IsOk());
    EXPECT_TRUE(out.rows().empty());
    EXPECT_EQ(out.values().shape(), Shape({0, 2}));
    EXPECT_EQ(out.height(), 4);
  }
}

TEST(MergeSelectedRows, RefusesARowOutside) {
  for (const int64_t row : {-1, 4}) {
    const SelectedRows x(4, {0, row}, MakeTensor<float>({2, 2}, {1, 2, 3, 4}));
    for (const KernelDef* kernel : KernelsOf(DataType::kFloat32)) {
      SelectedRows out;
      EXPECT_THAT(Merge(*kernel, x, &out),
                  StatusIs(absl::StatusCode::kOutOfRange,
                           testing::HasSubstr("x must be of rows in [0, 4)")));
    }
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu

// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/selected_rows.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "phi/fluid/testing.h"

namespace switchyard::phi {

extern const KernelDef kernel_merge_selected_rows_fluid_cpu_float32;

namespace fluid {
namespace {

absl::Status Merge(const SelectedRows& x, SelectedRows* out) {
  return Launch(kernel_merge_selected_rows_fluid_cpu_float32, {&x}, {}, {out});
}

TEST(FluidMergeSelectedRows, AddsTheValuesOfARow) {
  const SelectedRows x(6, {3, 0, 3},
                       MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  SelectedRows out;
  ASSERT_THAT(Merge(x, &out), IsOk());
  EXPECT_EQ(out.rows(), (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(out.height(), 6);
  EXPECT_EQ(ToVector<float>(out.values()), (std::vector<float>{3, 4, 6, 8}));
}

TEST(FluidMergeSelectedRows, TakesNoRowsAndRefusesOthers) {
  SelectedRows out;
  ASSERT_THAT(Merge(SelectedRows(4, {}, MakeTensor<float>({0, 2}, {})), &out),
              IsOk());
  EXPECT_TRUE(out.rows().empty());
  EXPECT_THAT(
      Merge(SelectedRows(4, {0, 4}, MakeTensor<float>({2, 1}, {1, 2})), &out),
      StatusIs(absl::StatusCode::kOutOfRange,
               testing::HasSubstr("x must be of rows in [0, 4), got 4")));
}

}  // namespace
}  // namespace fluid
}  // namespace switchyard::phi

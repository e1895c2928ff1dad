// SPDX-License-Identifier: Apache-2.0
// Sums of tensors that are not dense, by both backends, against sums written
// out here.
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/tensor/selected_rows.h"
#include "framework/tensor/tensor_array.h"
#include "gtest/gtest.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_tables.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

constexpr std::string_view kBackends[] = {"reference", "cpu"};

// Runs the kernel function `name` of add, without selection.
absl::Status RunAdd(std::string_view name, std::string_view backend,
                    const TensorBase& x, const TensorBase& y, TensorBase* out) {
  for (const KernelDef* kernel :
       KernelTables::Current().Find("add")->candidates(x.dtype())) {
    if (kernel->key.backend->name != backend || kernel->kernel != name)
      continue;
    const TensorBase* inputs[] = {&x, &y};
    TensorBase* outputs[] = {out};
    DeviceContext& device =
        kernel->key.backend->contexts->current(Place::Cpu());
    KernelContext context(device, {inputs, {}, outputs});
    return kernel->thunk(context);
  }
  return absl::NotFoundError("no kernel");
}

// Three rows of a matrix of 4 x 2, one of them twice.
template <typename T>
SelectedRows Rows() {
  return SelectedRows(4, {3, 0, 3}, MakeTensor<T>({3, 2}, {1, 2, 3, 4, 5, 6}));
}

template <typename T>
void CheckSums() {
  const SelectedRows rows = Rows<T>();
  const DenseTensor dense =
      MakeTensor<T>({4, 2}, {10, 20, 30, 40, 50, 60, 70, 80});
  const std::vector<T> sum = {13, 24, 30, 40, 50, 60, 76, 88};
  for (const std::string_view backend : kBackends) {
    DenseTensor out = MakeTensor<T>({4, 2}, std::vector<T>(8, -1));
    ASSERT_THAT(RunAdd("add_rows_to_dense", backend, dense, rows, &out),
                IsOk());
    EXPECT_EQ(ToVector<T>(out), sum);
    out = MakeTensor<T>({4, 2}, std::vector<T>(8, -1));
    ASSERT_THAT(RunAdd("add_dense_to_rows", backend, rows, dense, &out),
                IsOk());
    EXPECT_EQ(ToVector<T>(out), sum);
    SelectedRows both;
    ASSERT_THAT(
        RunAdd("add_selected_rows", backend, rows,
               SelectedRows(4, {1}, MakeTensor<T>({1, 2}, {7, 8})), &both),
        IsOk());
    EXPECT_EQ(both.shape(), Shape({4, 2}));
    EXPECT_EQ(both.rows(), (std::vector<int64_t>{3, 0, 3, 1}));
    EXPECT_EQ(ToVector<T>(both.values()),
              (std::vector<T>{1, 2, 3, 4, 5, 6, 7, 8}));
  }
}

TEST(AddSelectedRowsTest, SumsInBothDtypes) {
  CheckSums<float>();
  CheckSums<double>();
}

TEST(AddSelectedRowsTest, WritesInPlace) {
  DenseTensor dense = MakeTensor<float>({4, 2}, {1, 1, 1, 1, 1, 1, 1, 1});
  ASSERT_THAT(RunAdd("add_rows_to_dense", "cpu", dense, Rows<float>(), &dense),
              IsOk());
  EXPECT_EQ(ToVector<float>(dense),
            (std::vector<float>{4, 5, 1, 1, 1, 1, 7, 9}));
}

TEST(AddSelectedRowsTest, TakesNoRowsAtAll) {
  const SelectedRows none(4, {}, MakeTensor<float>({0, 2}, {}));
  const DenseTensor dense = MakeTensor<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  for (const std::string_view backend : kBackends) {
    DenseTensor out = MakeTensor<float>({4, 2}, std::vector<float>(8, -1));
    ASSERT_THAT(RunAdd("add_rows_to_dense", backend, dense, none, &out),
                IsOk());
    EXPECT_EQ(ToVector<float>(out), ToVector<float>(dense));
    SelectedRows both;
    ASSERT_THAT(
        RunAdd("add_selected_rows", backend, none, Rows<float>(), &both),
        IsOk());
    EXPECT_EQ(both.rows(), Rows<float>().rows());
  }
}

TEST(AddSelectedRowsTest, RefusesARowOutsideAndWritesNothing) {
  for (const int64_t row : {-1, 4}) {
    const SelectedRows rows(4, {0, row},
                            MakeTensor<float>({2, 2}, {1, 2, 3, 4}));
    for (const std::string_view backend : kBackends) {
      DenseTensor dense = MakeTensor<float>({4, 2}, std::vector<float>(8, 5));
      EXPECT_THAT(RunAdd("add_rows_to_dense", backend, dense, rows, &dense),
                  StatusIs(absl::StatusCode::kOutOfRange));
      EXPECT_EQ(ToVector<float>(dense), std::vector<float>(8, 5));
    }
  }
}

TensorArray::Element Element(std::vector<float> values) {
  const int64_t count = static_cast<int64_t>(values.size());
  return std::make_shared<const DenseTensor>(
      MakeTensor<float>({count}, std::move(values)));
}

TensorArray Array(std::vector<TensorArray::Element> elements) {
  return TensorArray(DataType::kFloat32, Shape({Dim::Unknown()}), Place::Cpu(),
                     ElementList(std::move(elements)));
}

TEST(AddArraysTest, AddsElementByElement) {
  const TensorArray x = Array({Element({1, 2}), nullptr, nullptr});
  const TensorArray y = Array({Element({10, 20}), Element({5})});
  for (const std::string_view backend : kBackends) {
    for (const bool turned : {false, true}) {
      TensorArray out;
      ASSERT_THAT(
          RunAdd("add_arrays", backend, turned ? y : x, turned ? x : y, &out),
          IsOk());
      ASSERT_EQ(out.length(), 3);
      EXPECT_EQ(ToVector<float>(*out.elements()[0]),
                (std::vector<float>{11, 22}));
      EXPECT_EQ(ToVector<float>(*out.elements()[1]), (std::vector<float>{5}));
      EXPECT_EQ(out.elements()[2], nullptr);
    }
    TensorArray out;
    EXPECT_THAT(
        RunAdd("add_arrays", backend, x, Array({Element({1, 2, 3})}), &out),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 "y must be of shape [2] at 0, got [3]"));
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu

// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/own_kernel_cases.h"

#include <array>
#include <string_view>
#include <utility>

#include "framework/types/float16.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::kernels {
namespace {

// Lists and Scalars outlive the AttrRefs to them.
const Scalar kHalf = 2.5, kComplex = std::complex<double>(1, -2);
const std::array<int64_t, 1> kFirst = {0}, kLast = {-1}, kMiddle = {1};
const std::array<int64_t, 2> kOuter = {0, 2}, kShape = {3, 5};

absl::Span<const int64_t> None() { return {}; }

Tolerance ToleranceOf(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat32:
      return {1e-5, 1e-5};
    case DataType::kFloat64:
      return {1e-12, 1e-12};
    case DataType::kFloat16:
      return {2e-3, 2e-3};
    case DataType::kBFloat16:
      return {1.6e-2, 1.6e-2};
    default:
      return {};
  }
}

template <typename T>
void AddReductions(std::string_view op, std::vector<OwnKernelCase>* cases) {
  // The last: in several parts, which are joined; a product of many numbers
  // near 1.
  const bool product = op == "prod";
  const double low = product ? 0.9 : -3, high = product ? 1.1 : 3;
  const DenseTensor inputs[] = {
      RandomTensor<T>(Shape({4, 6, 5}), low, high),
      RandomTensor<T>(Shape({40, 13, 11}), low, high, /*seed=*/2)};
  for (const DenseTensor& x : inputs) {
    for (const absl::Span<const int64_t> axis :
         {None(), absl::MakeConstSpan(kFirst), absl::MakeConstSpan(kLast),
          absl::MakeConstSpan(kMiddle), absl::MakeConstSpan(kOuter)}) {
      KernelCase call = {op, {x}, {axis, false}};
      if (op == "sum") call.attrs = {axis, DataType::kUndefined, false};
      cases->push_back({std::move(call), ToleranceOf(x.dtype())});
    }
  }
}

template <typename T>
void AddNumeric(std::vector<OwnKernelCase>* cases) {
  for (const char* op : {"sum", "max", "min", "prod", "any", "all"}) {
    AddReductions<T>(op, cases);
  }
}

template <typename T>
void AddFloating(std::vector<OwnKernelCase>* cases) {
  AddNumeric<T>(cases);
  AddReductions<T>("mean", cases);
  const DataType dtype = DataTypeOf<T>::value;
  cases->push_back(
      {{"reduce_as",
        {RandomTensor<T>(Shape({4, 6, 5})), RandomTensor<T>(Shape({6, 1}))}},
       ToleranceOf(dtype)});
  const DenseTensor rate = dtype == DataType::kFloat64
                               ? RandomTensor<double>(Shape({1}), 0.1, 0.5)
                               : RandomTensor<float>(Shape({1}), 0.1, 0.5);
  cases->push_back({{"sgd_",
                     {RandomTensor<T>(Shape({7, 3})), rate,
                      RandomTensor<T>(Shape({7, 3}), -1, 1, /*seed=*/2)}},
                    ToleranceOf(dtype)});
}

// Casts from T to every dtype that is not complex, beyond whose range some
// numbers are.
template <typename T>
void AddMovement(std::vector<OwnKernelCase>* cases) {
  const DenseTensor x = RandomTensor<T>(Shape({5, 7}), -300, 300);
  for (const DenseTensor& from : {x, WithOtherStrides(x)}) {
    for (const DataType to :
         {DataType::kBool, DataType::kUInt8, DataType::kInt8, DataType::kInt16,
          DataType::kInt32, DataType::kInt64, DataType::kFloat16,
          DataType::kBFloat16, DataType::kFloat32, DataType::kFloat64}) {
      cases->push_back({{"cast", {from}, {to}}, {}});
    }
    cases->push_back({{"contiguous", {from}}, {}});
    cases->push_back({{"assign", {from}}, {}});
    cases->push_back(
        {{"full_like", {from}, {kHalf, DataType::kUndefined}}, {}});
  }
}

}  // namespace

std::vector<OwnKernelCase> OwnKernelCases() {
  std::vector<OwnKernelCase> cases;
  AddReductions<bool>("sum", &cases);
  AddReductions<bool>("any", &cases);
  AddReductions<bool>("all", &cases);
  AddNumeric<int32_t>(&cases);
  AddNumeric<int64_t>(&cases);
  AddFloating<float16>(&cases);
  AddFloating<bfloat16>(&cases);
  AddFloating<float>(&cases);
  AddFloating<double>(&cases);
  AddMovement<bool>(&cases);
  AddMovement<uint8_t>(&cases);
  AddMovement<int8_t>(&cases);
  AddMovement<int16_t>(&cases);
  AddMovement<int32_t>(&cases);
  AddMovement<int64_t>(&cases);
  AddMovement<float16>(&cases);
  AddMovement<bfloat16>(&cases);
  AddMovement<float>(&cases);
  AddMovement<double>(&cases);
  const DenseTensor complex =
      RandomTensor<std::complex<double>>(Shape({5, 7}), -2, 2);
  cases.push_back({{"contiguous", {WithOtherStrides(complex)}}, {}});
  for (const DataType dtype : {DataType::kInt8, DataType::kBFloat16,
                               DataType::kFloat32, DataType::kComplex128}) {
    const Scalar& value = IsComplex(dtype) ? kComplex : kHalf;
    cases.push_back(
        {{"full", {}, {absl::MakeConstSpan(kShape), value, dtype}}, {}});
  }
  cases.push_back({{"matmul",
                    {RandomTensor<double>(Shape({3, 6, 5})),
                     RandomTensor<double>(Shape({4, 5}), -1, 1, /*seed=*/2)},
                    {false, true}},
                   ToleranceOf(DataType::kFloat64)});
  return cases;
}

}  // namespace switchyard::phi::kernels

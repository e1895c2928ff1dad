// SPDX-License-Identifier: Apache-2.0
// NumberAsTensor and CheckNumbersFit of python/bindings/convert.h: Python's
// numbers as elements of a dtype.
#include <complex>
#include <limits>
#include <string>
#include <type_traits>

#include "framework/memory/cpu_allocator.h"
#include "framework/types/float16.h"
#include "python/bindings/convert.h"

namespace switchyard::python {
namespace {

DataType DtypeOfNumber(PyObject* number, DataType other) {
  if (PyComplex_Check(number)) return ComplexOf(other);
  if (IsComplex(other)) return other;
  if (PyFloat_Check(number)) {
    return IsFloating(other) ? other : DataType::kFloat32;
  }
  if (PyBool_Check(number)) {
    return other == DataType::kUndefined ? DataType::kBool : other;
  }
  return IsFloating(other) || IsInteger(other) ? other : DataType::kInt64;
}

template <typename T>
absl::Status StoreInt(std::string_view argument, PyObject* number,
                      DenseTensor* tensor) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0 || value < std::numeric_limits<T>::min() ||
      value > std::numeric_limits<T>::max()) {
    return ArgumentError(
        argument,
        "a number that " + std::string(Name(tensor->dtype())) + " holds",
        "one outside");
  }
  *tensor->mutable_data<T>() = static_cast<T>(value);
  return absl::OkStatus();
}

// uint64, whose upper half int64 does not hold.
absl::Status StoreWide(std::string_view argument, PyObject* number,
                       DenseTensor* tensor) {
  PyObject* const index = PyNumber_Index(number);
  const uint64_t value =
      index == nullptr ? UINT64_MAX : PyLong_AsUnsignedLongLong(index);
  Py_XDECREF(index);
  if (value == UINT64_MAX && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return ArgumentError(argument, "a number that uint64 holds", "one outside");
  }
  *tensor->mutable_data<uint64_t>() = value;
  return absl::OkStatus();
}

template <typename T>
absl::Status StoreComplex(std::string_view argument, PyObject* number,
                          DenseTensor* tensor) {
  const Py_complex value = PyComplex_AsCComplex(number);
  if (value.real == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return ArgumentError(argument, "a number that complex128 holds",
                         "one outside");
  }
  *tensor->mutable_data<std::complex<T>>() = {static_cast<T>(value.real),
                                              static_cast<T>(value.imag)};
  return absl::OkStatus();
}

absl::Status StoreNumber(std::string_view argument, PyObject* number,
                         DenseTensor* tensor) {
  if (tensor->dtype() == DataType::kComplex64) {
    return StoreComplex<float>(argument, number, tensor);
  }
  if (tensor->dtype() == DataType::kComplex128) {
    return StoreComplex<double>(argument, number, tensor);
  }
  const double real = PyFloat_AsDouble(number);
  if (real == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return ArgumentError(argument, "a number that float64 holds",
                         "one outside");
  }
  switch (tensor->dtype()) {
    case DataType::kBool:
      *tensor->mutable_data<bool>() = real != 0;
      return absl::OkStatus();
    case DataType::kFloat16:
      *tensor->mutable_data<float16>() = float16(real);
      return absl::OkStatus();
    case DataType::kBFloat16:
      *tensor->mutable_data<bfloat16>() = bfloat16(real);
      return absl::OkStatus();
    case DataType::kFloat32:
      *tensor->mutable_data<float>() = static_cast<float>(real);
      return absl::OkStatus();
    case DataType::kFloat64:
      *tensor->mutable_data<double>() = real;
      return absl::OkStatus();
    case DataType::kUInt8:
      return StoreInt<uint8_t>(argument, number, tensor);
    case DataType::kInt8:
      return StoreInt<int8_t>(argument, number, tensor);
    case DataType::kInt16:
      return StoreInt<int16_t>(argument, number, tensor);
    case DataType::kInt32:
      return StoreInt<int32_t>(argument, number, tensor);
    case DataType::kUInt16:
      return StoreInt<uint16_t>(argument, number, tensor);
    case DataType::kUInt32:
      return StoreInt<uint32_t>(argument, number, tensor);
    case DataType::kUInt64:
      return StoreWide(argument, number, tensor);
    default:
      return StoreInt<int64_t>(argument, number, tensor);
  }
}

}  // namespace

absl::StatusOr<DenseTensor> NumberAsTensor(std::string_view argument,
                                           PyObject* number, DataType other) {
  SY_ASSIGN_OR_RETURN(DenseTensor tensor,
                      DenseTensor::Allocate(DtypeOfNumber(number, other),
                                            Shape(), CpuAllocator()));
  SY_RETURN_IF_ERROR(StoreNumber(argument, number, &tensor));
  return tensor;
}

namespace {

// "1e+300" or "300".
std::string Text(double number) {
  std::string text = std::to_string(number);
  return text.substr(0, text.find('.'));
}
std::string Text(int64_t number) { return std::to_string(number); }

// Whether T holds `number` once what is after its point is cut off; no NaN.
template <typename T>
bool Holds(double number) {
  constexpr auto kEnd = static_cast<double>(std::numeric_limits<T>::max());
  constexpr auto kLeast = static_cast<double>(std::numeric_limits<T>::min());
  // The end of int64 is rounded up as a double: to 2^63, which is outside.
  const bool below = sizeof(T) == 8 ? number < kEnd : number < kEnd + 1;
  constexpr bool kExact = sizeof(T) == 8 && std::is_signed_v<T>;
  return below && (kExact ? number >= kLeast : number > kLeast - 1);
}
template <typename T>
bool Holds(int64_t number) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    return number >= 0;
  } else {
    return number >= std::numeric_limits<T>::min() &&
           number <= std::numeric_limits<T>::max();
  }
}

template <typename T, typename Number>
absl::Status CheckAll(std::string_view argument, DataType dtype,
                      absl::Span<const Number> numbers) {
  for (const Number number : numbers) {
    if (Holds<T>(number)) continue;
    return ArgumentError(argument,
                         "numbers that " + std::string(Name(dtype)) + " holds",
                         Text(number));
  }
  return absl::OkStatus();
}

template <typename Number>
absl::Status CheckFit(std::string_view argument, DataType dtype,
                      absl::Span<const Number> numbers) {
  switch (dtype) {
    case DataType::kUInt8:
      return CheckAll<uint8_t>(argument, dtype, numbers);
    case DataType::kInt8:
      return CheckAll<int8_t>(argument, dtype, numbers);
    case DataType::kInt16:
      return CheckAll<int16_t>(argument, dtype, numbers);
    case DataType::kInt32:
      return CheckAll<int32_t>(argument, dtype, numbers);
    case DataType::kInt64:
      return CheckAll<int64_t>(argument, dtype, numbers);
    case DataType::kUInt16:
      return CheckAll<uint16_t>(argument, dtype, numbers);
    case DataType::kUInt32:
      return CheckAll<uint32_t>(argument, dtype, numbers);
    case DataType::kUInt64:
      return CheckAll<uint64_t>(argument, dtype, numbers);
    default:
      return absl::OkStatus();
  }
}

}  // namespace

absl::Status CheckNumbersFit(std::string_view argument, DataType dtype,
                             absl::Span<const double> numbers) {
  return CheckFit(argument, dtype, numbers);
}

absl::Status CheckNumbersFit(std::string_view argument, DataType dtype,
                             absl::Span<const int64_t> numbers) {
  return CheckFit(argument, dtype, numbers);
}

}  // namespace switchyard::python

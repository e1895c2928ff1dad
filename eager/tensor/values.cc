// SPDX-License-Identifier: Apache-2.0
#include "eager/tensor/values.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/op_error.h"
#include "framework/base/status.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/types/data_type.h"
#include "framework/types/float16.h"

namespace switchyard::eager {
namespace {

absl::StatusOr<DenseTensor> Allocate(DataType dtype, const Shape& shape,
                                     size_t values) {
  if (!shape.known() || static_cast<size_t>(shape.numel()) != values) {
    return ArgumentError("values", absl::StrCat("those of ", ToString(shape)),
                         absl::StrCat(values));
  }
  return DenseTensor::Allocate(dtype, shape, CpuAllocator());
}

absl::Status CheckReadable(const Tensor& tensor, DataType dtype) {
  if (!tensor.defined() || tensor.kind() != TensorKind::kDense ||
      !(tensor.place() == Place::Cpu())) {
    return ArgumentError("tensor", "a dense tensor on the CPU",
                         ToString(tensor));
  }
  if (tensor.dtype() == dtype) return absl::OkStatus();
  return TypeError("tensor", Name(dtype), Name(tensor.dtype()));
}

}  // namespace

template <typename T>
Tensor FromValues(absl::Span<const T> values, const Shape& shape) {
  absl::StatusOr<DenseTensor> tensor =
      Allocate(DataTypeOf<T>::value, shape, values.size());
  ThrowIfError(Annotate(tensor.status(), "FromValues"));
  std::copy(values.begin(), values.end(), tensor->mutable_data<T>());
  return Tensor(*std::move(tensor));
}

template <typename T>
std::vector<T> ToValues(const Tensor& tensor) {
  ThrowIfError(
      Annotate(CheckReadable(tensor, DataTypeOf<T>::value), "ToValues"));
  const DenseTensor& dense = tensor.dense();
  std::vector<T> values(static_cast<size_t>(dense.numel()));
  for (int64_t i = 0; i < dense.numel(); ++i) {
    values[static_cast<size_t>(i)] =
        dense.data<T>()[ElementOffset(dense.shape(), dense.strides(), i)];
  }
  return values;
}

#define SY_DATA_TYPE(enumerator, name, type, size)                        \
  template Tensor FromValues<type>(absl::Span<const type>, const Shape&); \
  template std::vector<type> ToValues<type>(const Tensor&);
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE

}  // namespace switchyard::eager

// SPDX-License-Identifier: Apache-2.0
#include "framework/testing/tensors.h"

#include <algorithm>
#include <cstring>

#include "framework/memory/cpu_allocator.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

template <typename T>
DenseTensor Converted(const Shape& shape, absl::Span<const double> values) {
  std::vector<T> elements;
  for (double value : values) elements.push_back(static_cast<T>(value));
  // Not through a span of the vector: std::vector<bool> has no elements.
  DenseTensor tensor = EmptyTensor(DataTypeOf<T>::value, shape);
  EXPECT_EQ(static_cast<int64_t>(elements.size()), tensor.numel());
  if (static_cast<int64_t>(elements.size()) == tensor.numel()) {
    std::copy(elements.begin(), elements.end(), tensor.mutable_data<T>());
  }
  return tensor;
}

// Appends the elements in row-major order.
template <typename T>
void AppendElements(const DenseTensor& tensor, std::vector<T>* values) {
  const T* const data = tensor.data<T>();
  const int64_t count = tensor.numel();
  if (tensor.contiguous()) {
    values->insert(values->end(), data, data + count);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    values->push_back(data[ElementOffset(tensor.shape(), tensor.strides(), i)]);
  }
}

template <typename T>
std::vector<double> Doubles(const DenseTensor& tensor) {
  std::vector<T> elements;
  AppendElements(tensor, &elements);
  std::vector<double> values;
  if constexpr (kIsComplex<T>) {
    for (const T& element : elements) {
      values.push_back(element.real());
      values.push_back(element.imag());
    }
  } else {
    values.assign(elements.begin(), elements.end());
  }
  return values;
}

}  // namespace

DenseTensor EmptyTensor(DataType dtype, const Shape& shape) {
  DenseTensor tensor;
  const absl::StatusOr<int64_t> bytes = CheckedByteSize(dtype, shape);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  if (!bytes.ok()) return tensor;
  auto buffer = CpuAllocator().Allocate(static_cast<size_t>(*bytes));
  EXPECT_TRUE(buffer.ok()) << buffer.status();
  if (!buffer.ok()) return tensor;
  tensor.SetMeta(dtype, shape, Place::Cpu());
  tensor.SetBuffer(*std::move(buffer));
  return tensor;
}

template <typename T>
DenseTensor MakeTensor(const Shape& shape, absl::Span<const T> values) {
  DenseTensor tensor = EmptyTensor(DataTypeOf<T>::value, shape);
  EXPECT_EQ(static_cast<int64_t>(values.size()), tensor.numel());
  T* const data = tensor.mutable_data<T>();
  if (data == nullptr) return tensor;
  if (static_cast<int64_t>(values.size()) == tensor.numel()) {
    std::copy(values.begin(), values.end(), data);
  } else {
    std::fill_n(data, tensor.numel(), T(0));
  }
  return tensor;
}

template <typename T>
std::vector<T> ToVector(const DenseTensor& tensor) {
  EXPECT_EQ(Name(tensor.dtype()), Name(DataTypeOf<T>::value));
  EXPECT_TRUE(tensor.allocated());
  std::vector<T> values;
  if (tensor.dtype() != DataTypeOf<T>::value || !tensor.allocated()) {
    return values;
  }
  AppendElements(tensor, &values);
  return values;
}

#define SY_DATA_TYPE(enumerator, name, type, size)                             \
  template DenseTensor MakeTensor<type>(const Shape&, absl::Span<const type>); \
  template std::vector<type> ToVector<type>(const DenseTensor& tensor);
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE

DenseTensor MakeTensorOf(DataType dtype, const Shape& shape,
                         absl::Span<const double> values) {
  switch (dtype) {
#define SY_DATA_TYPE(enumerator, name, type, size) \
  case DataType::enumerator:                       \
    return Converted<type>(shape, values);
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
    default:
      break;
  }
  ADD_FAILURE() << "a tensor needs a dtype that is computed with";
  return DenseTensor();
}

std::vector<double> ToDoubles(const DenseTensor& tensor) {
  EXPECT_TRUE(tensor.allocated());
  if (!tensor.allocated()) return {};
  switch (tensor.dtype()) {
#define SY_DATA_TYPE(enumerator, name, type, size) \
  case DataType::enumerator:                       \
    return Doubles<type>(tensor);
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
    default:
      break;
  }
  ADD_FAILURE() << "a tensor needs a dtype that is computed with";
  return {};
}

DenseTensor TransposedView(const DenseTensor& base,
                           absl::Span<const int> axes) {
  EXPECT_EQ(static_cast<int>(axes.size()), base.rank());
  Shape shape;
  Strides strides = {};
  for (size_t i = 0; i < axes.size(); ++i) {
    shape.push_back(base.shape()[axes[i]]);
    strides[i] = base.strides()[axes[i]];
  }
  DenseTensor view;
  view.SetView(base, shape, strides, base.offset());
  return view;
}

}  // namespace switchyard

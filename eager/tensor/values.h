// SPDX-License-Identifier: Apache-2.0
// FromValues and ToValues: tensors from numbers of a C++ program, and back. For
// programs that use switchyard/ops.h; both throw OpError as its functions do.
//
//   Tensor x = FromValues<float>({1, 2, 3, 4, 5, 6}, {2, 3});
//   std::vector<float> values = ToValues<float>(transpose(x, {1, 0}));
//
// T is the C++ type of the dtype (framework/types/data_type.def); nothing is
// converted. Memory that stays the caller's goes through Buffer::Wrap
// (framework/memory/buffer.h).
#ifndef SWITCHYARD_EAGER_TENSOR_VALUES_H_
#define SWITCHYARD_EAGER_TENSOR_VALUES_H_

#include <initializer_list>
#include <vector>

#include "absl/types/span.h"
#include "eager/tensor/tensor.h"
#include "framework/types/shape.h"

namespace switchyard::eager {

// Returns a tensor on the CPU with a copy of `values`, which are in row-major
// order. ArgumentError if their number is not that of the shape's elements.
template <typename T>
Tensor FromValues(absl::Span<const T> values, const Shape& shape);
template <typename T>
Tensor FromValues(std::initializer_list<T> values, const Shape& shape) {
  return FromValues<T>(absl::Span<const T>(values.begin(), values.size()),
                       shape);
}

// Returns a copy of the elements in row-major order, whatever the strides.
// ArgumentError if the tensor is undefined, not dense or not on the CPU;
// TypeError if its dtype is not that of T.
template <typename T>
std::vector<T> ToValues(const Tensor& tensor);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_TENSOR_VALUES_H_

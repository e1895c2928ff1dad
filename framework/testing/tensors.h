// SPDX-License-Identifier: Apache-2.0
// Small DenseTensors on the CPU for tests, and their elements as vectors.
// Comparing them is framework/testing/matchers.h.
#ifndef SWITCHYARD_FRAMEWORK_TESTING_TENSORS_H_
#define SWITCHYARD_FRAMEWORK_TESTING_TENSORS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"

namespace switchyard {

// A tensor with a buffer of CpuAllocator() whose contents are unspecified.
DenseTensor EmptyTensor(DataType dtype, const Shape& shape);

// MakeTensor<float>({2, 2}, {1, 2, 3, 4}): the elements in row-major order. A
// wrong number of values fails the test and yields a tensor of zeros.
template <typename T>
DenseTensor MakeTensor(const Shape& shape, absl::Span<const T> values);
template <typename T>
DenseTensor MakeTensor(const Shape& shape, std::initializer_list<T> values) {
  return MakeTensor<T>(shape,
                       absl::Span<const T>(values.begin(), values.size()));
}
// float16 and bfloat16, written as floats.
DenseTensor MakeTensorOf(DataType dtype, const Shape& shape,
                         absl::Span<const double> values);

// A rank-0 tensor.
template <typename T>
DenseTensor MakeScalarTensor(T value) {
  return MakeTensor<T>(Shape(), {value});
}

// The elements in row-major order, whatever the strides. T must be the C++ type
// of the dtype; another one fails the test and yields nothing.
template <typename T>
std::vector<T> ToVector(const DenseTensor& tensor);

// The elements of a tensor of any dtype as doubles; of a complex one the real
// and the imaginary part of each.
std::vector<double> ToDoubles(const DenseTensor& tensor);

// A view of `base` with the axes in another order: axis i of the view is axis
// axes[i] of `base`. Makes inputs that are not contiguous.
DenseTensor TransposedView(const DenseTensor& base, absl::Span<const int> axes);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TESTING_TENSORS_H_

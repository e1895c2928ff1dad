// SPDX-License-Identifier: Apache-2.0
// How reference kernels read and write tensors: element by element, by
// row-major position, whatever the strides. Slow on purpose, and shared with no
// other backend: reference kernels are the oracle of the others.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTS_H_

#include <array>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "framework/base/checked_math.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard::phi::kernels::reference {

using Index = std::array<int64_t, kMaxRank>;

// The type in which elements are summed and multiplied: integers wrap around.
template <typename T>
using SumOf = std::conditional_t<
    std::is_integral_v<T>, uint64_t,
    std::conditional_t<kIsComplex<T>, std::complex<double>, double>>;

// The indices along each axis of row-major position i in `shape`.
inline Index Unravel(const Shape& shape, int64_t i) {
  Index index = {};
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    index[axis] = i % shape.extent(axis);
    i /= shape.extent(axis);
  }
  return index;
}

// The element of x at an index.
template <typename T>
T At(const DenseTensor& x, const Index& index) {
  int64_t offset = 0;
  for (int axis = 0; axis < x.rank(); ++axis) {
    offset += index[axis] * x.strides()[axis];
  }
  return x.data<T>()[offset];
}

// Element i of x in row-major order.
template <typename T>
T At(const DenseTensor& x, int64_t i) {
  return At<T>(x, Unravel(x.shape(), i));
}

// The elements of x in row-major order, for loops that read each many times.
template <typename T>
std::vector<SumOf<T>> Widened(const DenseTensor& x) {
  std::vector<SumOf<T>> values(x.numel());
  for (int64_t i = 0; i < x.numel(); ++i) {
    values[i] = static_cast<SumOf<T>>(At<T>(x, i));
  }
  return values;
}

// The element of x that NumPy's broadcasting puts at row-major position i of a
// tensor of `shape`.
template <typename T>
T BroadcastAt(const DenseTensor& x, const Shape& shape, int64_t i) {
  const Index index = Unravel(shape, i);
  Index own = {};
  const int lead = shape.rank() - x.rank();
  for (int axis = 0; axis < x.rank(); ++axis) {
    own[axis] = x.extent(axis) == 1 ? 0 : index[lead + axis];
  }
  return At<T>(x, own);
}

// The row-major position of an index in a tensor of `shape`.
inline int64_t Ravel(const Shape& shape, const Index& index) {
  int64_t i = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    i = i * shape.extent(axis) + index[axis];
  }
  return i;
}

// An element of a tensor of any integer dtype.
inline int64_t IntegerAt(const DenseTensor& x, int64_t i) {
  switch (x.dtype()) {
    case DataType::kInt8:
      return At<int8_t>(x, i);
    case DataType::kUInt8:
      return At<uint8_t>(x, i);
    case DataType::kInt16:
      return At<int16_t>(x, i);
    case DataType::kInt32:
      return At<int32_t>(x, i);
    default:
      return At<int64_t>(x, i);
  }
}

// A tensor as lines along one axis: line l, position p of `extent`.
class Lines {
 public:
  // `axis` as attributes have it, checked by InferMeta; a scalar is one line of
  // one element.
  Lines(const Shape& shape, int axis) {
    if (shape.rank() == 0) return;
    if (axis < 0) axis += shape.rank();
    extent_ = shape.extent(axis);
    inner_ = shape.numel(axis + 1, shape.rank());
    outer_ = shape.numel(0, axis);
    // If the number of lines leaves int64, the tensor has no elements.
    if (!CheckedMultiply(outer_, inner_)) outer_ = 0;
  }
  int64_t count() const { return outer_ * inner_; }
  int64_t extent() const { return extent_; }
  // Row-major position of an element.
  int64_t at(int64_t line, int64_t p) const {
    return (line / inner_ * extent_ + p) * inner_ + line % inner_;
  }

 private:
  int64_t outer_ = 1;
  int64_t extent_ = 1;
  int64_t inner_ = 1;
};

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTS_H_

// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/tensor_array.h"

#include <utility>

namespace switchyard {
namespace {

TensorMeta ArrayMeta(DataType dtype, const Shape& shape, Place place) {
  TensorMeta meta;
  meta.dtype = dtype;
  meta.kind = TensorKind::kTensorArray;
  meta.shape = shape;
  meta.place = place;
  return meta;
}

// A buffer without bytes, which says that the array was made: the elements
// have buffers of their own.
RefPtr<Buffer> NoBytes(Place place) {
  return Buffer::Wrap(
      nullptr, 0, place, [](void*) {}, nullptr);
}

}  // namespace

Shape ArrayShape(Dim length, const Shape& element) {
  Shape shape;
  shape.push_back(length);
  for (const Dim dim : element.dims()) shape.push_back(dim);
  return shape;
}

Shape ElementShape(const Shape& shape) {
  Shape element;
  for (int axis = 1; axis < shape.rank(); ++axis) {
    element.push_back(shape[axis]);
  }
  return element;
}

TensorArray::TensorArray(DataType dtype, const Shape& element_shape,
                         Place place, ElementList elements)
    : TensorBase(
          ArrayMeta(dtype,
                    ArrayShape(Dim(static_cast<int64_t>(elements.size())),
                               element_shape),
                    place),
          NoBytes(place)),
      elements_(std::move(elements)) {}

Shape TensorArray::element_shape() const { return ElementShape(shape()); }

}  // namespace switchyard

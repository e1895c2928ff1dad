// SPDX-License-Identifier: Apache-2.0
// TensorArray: a list of dense tensors of one dtype, whose length may change
// from value to value: what a loop collects its steps in.
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_TENSOR_ARRAY_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_TENSOR_ARRAY_H_

#include <cstdint>

#include "framework/tensor/element_list.h"
#include "framework/tensor/tensor_base.h"
#include "framework/types/place.h"
#include "framework/types/shape.h"

namespace switchyard {

// Holds a list of dense, contiguous tensors of one dtype. It is a value: an
// operator that writes an element makes another array, which shares all other
// elements with the first, and nearly all of the list of them. Elements are
// copies that nothing else refers to, so no operator writes over them.
// Positions may be empty: nothing was written there, which counts as zero in an
// array of gradients.
//
// Its shape() is [length, extents of the elements...]: that of the elements
// stacked. An extent in which elements may differ is unknown. A copy shares
// the elements; any number of threads may read one.
class TensorArray : public TensorBase {
 public:
  // An element, or null where nothing was written.
  using Element = ElementList::Element;

  // An array has at most this length: a position from a program that is wrong
  // must not take all memory.
  static constexpr int64_t kMaxLength = int64_t{1} << 20;

  // No dtype, no elements: an output before its kernel ran.
  TensorArray() : TensorBase(TensorKind::kTensorArray) {}
  // Each element is of `dtype`, on `place`, and of a shape that `element_shape`
  // may be (MayEqual). There are at most kMaxLength.
  TensorArray(DataType dtype, const Shape& element_shape, Place place,
              ElementList elements);

  int64_t length() const { return static_cast<int64_t>(elements_.size()); }
  const ElementList& elements() const { return elements_; }
  // Returns the shape that all elements have; unknown extents may differ.
  Shape element_shape() const;

 private:
  ElementList elements_;
};

// Returns the shape of an array of `length` elements of `element`, which has
// fewer than kMaxRank axes.
Shape ArrayShape(Dim length, const Shape& element);
// Returns the shape of the elements of an array of `shape`.
Shape ElementShape(const Shape& shape);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_TENSOR_ARRAY_H_

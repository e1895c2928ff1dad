// SPDX-License-Identifier: Apache-2.0
// Shape and dtype inference for tensor arrays
// (framework/tensor/tensor_array.h). The type of an array is [length, extents
// of its elements...]; what every element has is known, an extent in which they
// may differ is not. An array of length 0 and no such extents takes those of
// its first element. Levels of sequences (LoD) are those of the elements.
#ifndef SWITCHYARD_PHI_INFERMETA_TENSOR_ARRAY_TENSOR_ARRAY_H_
#define SWITCHYARD_PHI_INFERMETA_TENSOR_ARRAY_TENSOR_ARRAY_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// TypeError unless `array` is one.
absl::Status CheckArray(std::string_view argument, const TensorSpec& array);

// ArgumentError or TypeError unless `grad` is an array of elements like those
// of `array`, of any length.
absl::Status CheckArrayGrad(std::string_view argument, const TensorSpec& grad,
                            const TensorSpec& array);

// Infers an array of any length, whose elements have `levels` levels of
// sequences. `out` may be null.
absl::Status SetArray(DataType dtype, const Shape& element, TensorSpec* out,
                      int levels = 0);

// Infers an empty array of elements of `element_shape`, in which -1 is an
// extent that may differ from element to element.
absl::Status CreateArrayInferMeta(absl::Span<const int64_t> element_shape,
                                  DataType dtype, TensorSpec* out);

// Infers the array with `x` at position `i`, of any length. ArgumentError if
// the elements of `array`, which may be null, certainly have another shape.
absl::Status ArrayWriteInferMeta(const TensorSpec& x, const TensorSpec& i,
                                 const TensorSpec* array, TensorSpec* out);

// Infers the gradients of `x` and `array`, which are of their types.
absl::Status ArrayWriteGradInferMeta(const TensorSpec& x, const TensorSpec& i,
                                     const TensorSpec* array,
                                     const TensorSpec& out_grad,
                                     TensorSpec* x_grad,
                                     TensorSpec* array_grad);

// Infers the element at position `i`.
absl::Status ArrayReadInferMeta(const TensorSpec& array, const TensorSpec& i,
                                TensorSpec* out);
absl::Status ArrayReadGradInferMeta(const TensorSpec& array,
                                    const TensorSpec& i,
                                    const TensorSpec& out_grad,
                                    TensorSpec* array_grad);

// Infers int64[1].
absl::Status ArrayLengthInferMeta(const TensorSpec& array, TensorSpec* out);

// Infers the elements stacked along a new axis or joined along one that they
// have, and the extent that each contributes, int32.
absl::Status ArrayToTensorInferMeta(const TensorSpec& array, int axis,
                                    bool use_stack, TensorSpec* out,
                                    TensorSpec* out_index);
absl::Status ArrayToTensorGradInferMeta(const TensorSpec& array,
                                        const TensorSpec& out_grad, int axis,
                                        bool use_stack, TensorSpec* array_grad);

// Infers the array without the element at `index`, and that element.
absl::Status ArrayPopInferMeta(const TensorSpec& array, int index,
                               TensorSpec* array_out, TensorSpec* out);

// Both gradients may be null.
absl::Status ArrayPopGradInferMeta(const TensorSpec& array,
                                   const TensorSpec* array_out_grad,
                                   const TensorSpec* out_grad, int index,
                                   TensorSpec* array_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_TENSOR_ARRAY_TENSOR_ARRAY_H_

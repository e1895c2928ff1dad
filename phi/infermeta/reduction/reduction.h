// SPDX-License-Identifier: Apache-2.0
// InferMeta of reductions. An empty `axis` means all axes; each axis is in
// [-rank, rank), no axis twice; on a scalar 0 and -1 are legal. With keepdim a
// reduced axis stays with extent 1, otherwise it goes.
#ifndef SWITCHYARD_PHI_INFERMETA_REDUCTION_REDUCTION_H_
#define SWITCHYARD_PHI_INFERMETA_REDUCTION_REDUCTION_H_

#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// The shape of x with `axis` reduced. Of axes that are not known yet their
// number is, and so the rank; ArgumentError if they are more than x has.
absl::StatusOr<Shape> ReducedShape(const Shape& x, AttrValues axis,
                                   bool keepdim);

// out: `dtype` (not bool), or where it is undefined x's dtype; int32 and bool
// sum to int64 then.
absl::Status SumInferMeta(const TensorSpec& x, AttrValues axis, DataType dtype,
                          bool keepdim, TensorSpec* out);

// out: x's dtype. Also of prod.
absl::Status MeanInferMeta(const TensorSpec& x, AttrValues axis, bool keepdim,
                           TensorSpec* out);

// out: bool.
absl::Status AnyInferMeta(const TensorSpec& x, AttrValues axis, bool keepdim,
                          TensorSpec* out);

// out: x's dtype. ArgumentError if an element of out has nothing to be the
// largest or smallest of.
absl::Status MaxInferMeta(const TensorSpec& x, AttrValues axis, bool keepdim,
                          TensorSpec* out);

// x_grad: as x. out_grad: x reduced, of any dtype (sum may be asked for one).
absl::Status SumGradInferMeta(const TensorSpec& x, const TensorSpec& out_grad,
                              AttrValues axis, bool keepdim,
                              TensorSpec* x_grad);

// out: x's dtype, target's shape, which must broadcast to x's.
absl::Status ReduceAsInferMeta(const TensorSpec& x, const TensorSpec& target,
                               TensorSpec* out);

// x_grad: as x. out_grad: x's dtype, a shape that broadcasts to x's.
absl::Status ReduceAsGradInferMeta(const TensorSpec& x,
                                   const TensorSpec& out_grad,
                                   TensorSpec* x_grad);

// out: dtype int64 or int32. Also of argmin. With `flatten` over all elements
// (`axis` is ignored; with keepdims every axis stays with extent 1).
// ArgumentError over no elements.
absl::Status ArgmaxInferMeta(const TensorSpec& x, AttrValue axis, bool keepdims,
                             bool flatten, DataType dtype, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_REDUCTION_REDUCTION_H_

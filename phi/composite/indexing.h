// SPDX-License-Identifier: Apache-2.0
// Indexing, and its gradients, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_INDEXING_H_
#define SWITCHYARD_PHI_COMPOSITE_INDEXING_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_indexing.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// Gradient of gather: out_grad added to zeros where `index` points.
// Differentiable again.
inline void GatherGrad(Ops& ops, const Value& x, const Value& index,
                       const Value& out_grad, AttrArg<int> axis,
                       Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value zeros = FullLike(ops, x, 0);
  if (ops.shape(index).rank() == 1) {
    *x_grad = op::index_add(ops, zeros, index, out_grad, axis);
    return;
  }
  const Value list = op::reshape(ops, index, std::vector<int64_t>{-1});
  if (ops.shape(index).rank() == 2) {
    *x_grad = op::index_add(ops, zeros, list, out_grad, axis);
    return;
  }
  int64_t known = 0;
  AttrArg<IntArray> axes = IntArray(&known, 1);
  if (axis.known()) {
    known = axis.value();
  } else {
    axes = {AttrRef::Supplied(kAttrTypeOf<IntArray>,
                              axis.ref().Get<absl::Span<const AttrValue>>()),
            axis.name()};
  }
  *x_grad =
      op::index_add(ops, zeros, list, op::unsqueeze(ops, out_grad, axes), axis);
}

// Gradient of index_select: out_grad added to zeros where `index` points.
// Differentiable again.
inline void IndexSelectGrad(Ops& ops, const Value& x, const Value& index,
                            const Value& out_grad, AttrArg<int> axis,
                            Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value zeros = FullLike(ops, x, 0);
  *x_grad = op::index_add(ops, zeros, index, out_grad, axis);
}

// Gradient of index_add: out_grad for x, its slices at `index` for add_value.
// Differentiable again.
inline void IndexAddGrad(Ops& ops, const Value&, const Value& index,
                         const Value&, const Value& out_grad, AttrArg<int> axis,
                         Value* x_grad, Value* add_value_grad) {
  if (x_grad != nullptr) *x_grad = out_grad;
  if (add_value_grad != nullptr) {
    *add_value_grad = op::index_select(ops, out_grad, index, axis);
  }
}

// Gradient of scatter. x_grad is out_grad with the overwritten rows zeroed;
// updates_grad gathers the rows written (also those that another update
// overwrote, as in Paddle). Differentiable again.
inline void ScatterGrad(Ops& ops, const Value& index, const Value& updates,
                        const Value& out_grad, Value* x_grad,
                        Value* updates_grad) {
  if (x_grad != nullptr) {
    const Value zeros = FullLike(ops, updates, 0);
    *x_grad = op::scatter(ops, out_grad, index, zeros, true);
  }
  if (updates_grad != nullptr)
    *updates_grad = op::gather(ops, out_grad, index, 0);
}

// Gradient of take_along_axis: out_grad added to zeros where it was taken.
// Differentiable again.
inline void TakeAlongAxisGrad(Ops& ops, const Value& arr, const Value& indices,
                              const Value& out_grad, int axis,
                              Value* arr_grad) {
  if (arr_grad == nullptr) return;
  const Value zeros = FullLike(ops, arr, 0);
  *arr_grad = op::put_along_axis(ops, zeros, indices, out_grad, axis, "add");
}

// Gradient of put_along_axis: for arr out_grad, without what was replaced; for
// values out_grad where they went (also those that another overwrote, as in
// Paddle). Differentiable again.
inline void PutAlongAxisGrad(Ops& ops, const Value& indices,
                             const Value& values, const Value& out_grad,
                             int axis, std::string_view reduce, Value* arr_grad,
                             Value* values_grad) {
  if (arr_grad != nullptr && reduce == "add") *arr_grad = out_grad;
  if (arr_grad != nullptr && reduce != "add") {
    const Value zeros = FullLike(ops, values, 0);
    *arr_grad = op::put_along_axis(ops, out_grad, indices, zeros, axis, reduce);
  }
  if (values_grad != nullptr) {
    *values_grad = op::take_along_axis(ops, out_grad, indices, axis);
  }
}

// Gradient of gather_nd: out_grad added to zeros where `index` points.
// Differentiable again.
inline void GatherNdGrad(Ops& ops, const Value& x, const Value& index,
                         const Value& out_grad, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value zeros = FullLike(ops, x, 0);
  *x_grad = op::scatter_nd_add(ops, zeros, index, out_grad);
}

// Gradient of scatter_nd_add: out_grad for x, its parts at `index` for updates.
// Differentiable again.
inline void ScatterNdAddGrad(Ops& ops, const Value& index, const Value&,
                             const Value& out_grad, Value* x_grad,
                             Value* updates_grad) {
  if (x_grad != nullptr) *x_grad = out_grad;
  if (updates_grad != nullptr)
    *updates_grad = op::gather_nd(ops, out_grad, index);
}

// The elements where a mask is true, both broadcast to one shape.
inline void MaskedSelect(Ops& ops, const Value& x, const Value& mask,
                         Value* out) {
  if (out == nullptr) return;
  const DataType dtype = ops.dtype(mask);
  if (dtype != DataType::kBool) {
    return ops.Fail(TypeError("mask", "bool", Name(dtype)));
  }
  const Value all = op::logical_or(
      ops, op::full_like(ops, x, Scalar(false), DataType::kBool), mask);
  *out = op::compress(ops, op::expand_as(ops, x, all), all);
}

// The elements of each row of x that this row of index names.
inline void IndexSample(Ops& ops, const Value& x, const Value& index,
                        Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  if (shape.rank() != 2) {
    return ops.Fail(ArgumentError("x", "of rank 2", ToString(shape)));
  }
  const Shape rows = ops.shape(index);
  if (rows.rank() != 2 || !MayEqual(rows[0], shape[0])) {
    return ops.Fail(ArgumentError("index", "of rank 2, with the rows of x",
                                  ToString(rows)));
  }
  *out = op::take_along_axis(ops, x, index, 1);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_INDEXING_H_

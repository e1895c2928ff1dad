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
#include "phi/composite/elements.h"

namespace switchyard::phi::composite {

// Gradient of gather: out_grad added to zeros where `index` points.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void GatherGrad(Ops& ops, const V& x, const V& index, const V& out_grad,
                AttrArg<int> axis, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zeros = FullLike(ops, x, 0);
  if (ops.shape(index).rank() == 1) {
    *x_grad = ops.index_add(zeros, index, out_grad, axis);
    return;
  }
  const V list = ops.reshape(index, std::vector<int64_t>{-1});
  if (ops.shape(index).rank() == 2) {
    *x_grad = ops.index_add(zeros, list, out_grad, axis);
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
  *x_grad = ops.index_add(zeros, list, ops.unsqueeze(out_grad, axes), axis);
}

// Gradient of index_select: out_grad added to zeros where `index` points.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void IndexSelectGrad(Ops& ops, const V& x, const V& index, const V& out_grad,
                     AttrArg<int> axis, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zeros = FullLike(ops, x, 0);
  *x_grad = ops.index_add(zeros, index, out_grad, axis);
}

// Gradient of index_add: out_grad for x, its slices at `index` for add_value.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void IndexAddGrad(Ops& ops, const V&, const V& index, const V&,
                  const V& out_grad, AttrArg<int> axis, V* x_grad,
                  V* add_value_grad) {
  if (x_grad != nullptr) *x_grad = out_grad;
  if (add_value_grad != nullptr) {
    *add_value_grad = ops.index_select(out_grad, index, axis);
  }
}

// Gradient of scatter. x_grad is out_grad with the overwritten rows zeroed;
// updates_grad gathers the rows written (also those that another update
// overwrote, as in Paddle). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void ScatterGrad(Ops& ops, const V& index, const V& updates, const V& out_grad,
                 V* x_grad, V* updates_grad) {
  if (x_grad != nullptr) {
    const V zeros = FullLike(ops, updates, 0);
    *x_grad = ops.scatter(out_grad, index, zeros, true);
  }
  if (updates_grad != nullptr) *updates_grad = ops.gather(out_grad, index, 0);
}

// Gradient of take_along_axis: out_grad added to zeros where it was taken.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void TakeAlongAxisGrad(Ops& ops, const V& arr, const V& indices,
                       const V& out_grad, int axis, V* arr_grad) {
  if (arr_grad == nullptr) return;
  const V zeros = FullLike(ops, arr, 0);
  *arr_grad = ops.put_along_axis(zeros, indices, out_grad, axis, "add");
}

// Gradient of put_along_axis: for arr out_grad, without what was replaced; for
// values out_grad where they went (also those that another overwrote, as in
// Paddle). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void PutAlongAxisGrad(Ops& ops, const V& indices, const V& values,
                      const V& out_grad, int axis, std::string_view reduce,
                      V* arr_grad, V* values_grad) {
  if (arr_grad != nullptr && reduce == "add") *arr_grad = out_grad;
  if (arr_grad != nullptr && reduce != "add") {
    const V zeros = FullLike(ops, values, 0);
    *arr_grad = ops.put_along_axis(out_grad, indices, zeros, axis, reduce);
  }
  if (values_grad != nullptr) {
    *values_grad = ops.take_along_axis(out_grad, indices, axis);
  }
}

// Gradient of gather_nd: out_grad added to zeros where `index` points.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void GatherNdGrad(Ops& ops, const V& x, const V& index, const V& out_grad,
                  V* x_grad) {
  if (x_grad == nullptr) return;
  const V zeros = FullLike(ops, x, 0);
  *x_grad = ops.scatter_nd_add(zeros, index, out_grad);
}

// Gradient of scatter_nd_add: out_grad for x, its parts at `index` for updates.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void ScatterNdAddGrad(Ops& ops, const V& index, const V&, const V& out_grad,
                      V* x_grad, V* updates_grad) {
  if (x_grad != nullptr) *x_grad = out_grad;
  if (updates_grad != nullptr) *updates_grad = ops.gather_nd(out_grad, index);
}

// The elements where a mask is true, both broadcast to one shape.
template <typename Ops, typename V = typename Ops::Value>
void MaskedSelect(Ops& ops, const V& x, const V& mask, V* out) {
  if (out == nullptr) return;
  const DataType dtype = ops.dtype(mask);
  if (dtype != DataType::kBool) {
    return ops.Fail(TypeError("mask", "bool", Name(dtype)));
  }
  const V all =
      ops.logical_or(ops.full_like(x, Scalar(false), DataType::kBool), mask);
  *out = ops.compress(ops.expand_as(x, all), all);
}

// The elements of each row of x that this row of index names.
template <typename Ops, typename V = typename Ops::Value>
void IndexSample(Ops& ops, const V& x, const V& index, V* out) {
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
  *out = ops.take_along_axis(x, index, 1);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_INDEXING_H_

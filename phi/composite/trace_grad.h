// SPDX-License-Identifier: Apache-2.0
// Gradient of trace: out_grad on the diagonal that was summed, 0 elsewhere.
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_TRACE_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_TRACE_GRAD_H_

#include <vector>

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void TraceGrad(Ops& ops, const V& x, const V& out_grad, int offset, int axis1,
               int axis2, V* x_grad) {
  if (x_grad == nullptr) return;
  const int rank = ops.shape(x).rank();
  const int rows = axis1 < 0 ? axis1 + rank : axis1;
  const int columns = axis2 < 0 ? axis2 + rank : axis2;
  std::vector<int> perm;  // The matrices last.
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != rows && axis != columns) perm.push_back(axis);
  }
  perm.push_back(rows);
  perm.push_back(columns);
  std::vector<int> inverse(perm.size());
  for (int i = 0; i < rank; ++i) inverse[perm[i]] = i;
  const V ones =
      ops.transpose(ops.full_like(x, Scalar(1.0), DataType::kUndefined), perm);
  const V diagonal = ops.triu(ops.tril(ones, offset), offset);
  const int64_t last_axes[] = {rank - 2, rank - 1};
  const V grad = ops.unsqueeze(out_grad, last_axes);
  *x_grad = ops.transpose(ops.multiply(diagonal, grad), inverse);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_TRACE_GRAD_H_

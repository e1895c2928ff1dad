// SPDX-License-Identifier: Apache-2.0
// Sums of gradients where some are SelectedRows (framework/tensor): what the
// engine does by the operator `add` for dense ones. On the host; nothing is
// recorded, so that such gradients have no gradients themselves.
#ifndef SWITCHYARD_EAGER_AUTOGRAD_ROWS_SUM_H_
#define SWITCHYARD_EAGER_AUTOGRAD_ROWS_SUM_H_

#include "eager/tensor.h"

namespace switchyard::eager {

// The sum of two gradients of one tensor, of which one at least is
// SelectedRows: all rows of both, or a dense tensor if one is dense.
absl::StatusOr<Tensor> AddRows(const Tensor& a, const Tensor& b);

// The matrix that selected rows stand for; a dense tensor as it is.
absl::StatusOr<Tensor> Densified(const Tensor& tensor);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_AUTOGRAD_ROWS_SUM_H_

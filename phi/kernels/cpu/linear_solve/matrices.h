// SPDX-License-Identifier: Apache-2.0
// Stacks of matrices: how the kernels of linear algebra find them in contiguous
// tensors and share them among threads. What is done with one matrix is in
// square_matrix.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LINEAR_SOLVE_MATRICES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LINEAR_SOLVE_MATRICES_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard::phi::kernels::cpu {

// How many matrices [..., rows, columns] a shape has.
inline int64_t MatrixCount(const Shape& shape) {
  return shape.numel(0, shape.rank() - 2);
}

// Calls f(i), which returns whether matrix i was fit for it, for each of
// `count` matrices, in parallel; `work` is the number of operations that one
// takes. Returns the first matrix that was not fit, -1 if all were.
template <typename F>
int64_t FirstUnfit(int64_t count, int64_t work, const F& f) {
  constexpr int64_t kGrainWork = 1 << 16;
  std::atomic<int64_t> first{count};
  const int64_t grain =
      std::max<int64_t>(1, kGrainWork / std::max<int64_t>(1, work));
  ParallelFor(0, count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (f(i)) continue;
      int64_t known = first.load();
      while (i < known && !first.compare_exchange_weak(known, i)) {
      }
    }
  });
  return first == count ? -1 : first.load();
}

// Returns InvalidArgument "x must be `expected`, got a matrix at position
// `unfit` that is not", unless `unfit` is -1.
absl::Status CheckFit(int64_t unfit, const char* expected);

// Where the matrices of operands lie that broadcast to a stack of `batch`.
class BroadcastMatrices {
 public:
  // `x` is a stack of matrices, or of vectors: its last `own_axes` axes.
  BroadcastMatrices(const DenseTensor& x, int own_axes, const Shape& batch)
      : x_(x), lead_(x.rank() - own_axes), batch_(batch) {}

  // The number of x's matrix that matrix i of the stack takes.
  int64_t at(int64_t i) const {
    int64_t number = 0, stride = 1;
    for (int axis = batch_.rank() - 1; axis >= 0; --axis) {
      const int64_t index = i % batch_.extent(axis);
      i /= batch_.extent(axis);
      const int own = axis - (batch_.rank() - lead_);
      if (own < 0) break;
      if (x_.extent(own) != 1) number += index * stride;
      stride *= x_.extent(own);
    }
    return number;
  }

 private:
  const DenseTensor& x_;
  int lead_;
  const Shape& batch_;
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LINEAR_SOLVE_MATRICES_H_

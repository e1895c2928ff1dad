// SPDX-License-Identifier: Apache-2.0
// cross_entropy_with_softmax and its gradient on the CPU. Input is seen as
// [outer, classes, inner] about the axis; each of the outer * inner rows is one
// thread's, so the number of threads does not change the bits.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_CROSS_ENTROPY_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_CROSS_ENTROPY_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/cross_entropy_with_softmax.args.gen.h"
#include "phi/core/signatures/cross_entropy_with_softmax_grad.args.gen.h"
#include "phi/kernels/cpu/conversion/in_float.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// Rows along one axis of a contiguous tensor.
struct ClassRows {
  int64_t outer = 1;
  int64_t classes = 1;
  int64_t inner = 1;

  int64_t rows() const { return outer * inner; }
  // First element of a row; its classes are `inner` apart.
  int64_t begin(int64_t row) const {
    return row / inner * classes * inner + row % inner;
  }
  int64_t grain() const {
    return std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, classes));
  }
};

inline absl::StatusOr<ClassRows> RowsAlong(const Shape& shape, int axis) {
  SY_ASSIGN_OR_RETURN(axis, NormalizeAxis("axis", axis, shape.rank()));
  ClassRows rows;
  rows.outer = shape.numel(0, axis);
  rows.classes = shape.extent(axis);
  rows.inner = shape.numel(axis + 1, shape.rank());
  return rows;
}

// The class numbers of rows. RangeError unless each is a class or
// `ignore_index`.
absl::StatusOr<Workspace<int64_t>> CopyLabels(Allocator& allocator,
                                              const DenseTensor& label,
                                              const ClassRows& rows,
                                              int ignore_index);

// softmax of one row; returns the logarithm of the sum and the maximum, so that
// log softmax(x) = x - max - log_sum.
template <typename T>
struct RowSoftmax {
  T max;
  T log_sum;
};
template <typename T>
RowSoftmax<T> SoftmaxOfRow(const T* x, int64_t classes, int64_t stride,
                           T* softmax) {
  T max = x[0];
  for (int64_t c = 1; c < classes; ++c) max = std::max(max, x[c * stride]);
  T sum = 0;
  for (int64_t c = 0; c < classes; ++c) {
    const T e = std::exp(x[c * stride] - max);
    softmax[c * stride] = e;
    sum += e;
  }
  for (int64_t c = 0; c < classes; ++c) softmax[c * stride] /= sum;
  return {max, std::log(sum)};
}

// log of class c's probability, given as it is or by RowSoftmax.
template <typename T>
T LogProbability(T x, bool use_softmax, const RowSoftmax<T>& row) {
  return use_softmax ? x - row.max - row.log_sum : std::log(x);
}

template <typename S>
inline constexpr auto kCrossEntropyWithSoftmaxSpec =
    KernelSpec<S>().Input(S::kLabel, AnyDtype());
template <typename T>
absl::Status CrossEntropyWithSoftmaxOf(
    const CpuContext& context, const CrossEntropyWithSoftmaxArgs& args) {
  SY_ASSIGN_OR_RETURN(const ClassRows rows,
                      RowsAlong(args.input.shape(), args.axis));
  Workspace<int64_t> labels;
  if (!args.soft_label) {
    SY_ASSIGN_OR_RETURN(labels, CopyLabels(context.allocator(), args.label,
                                           rows, args.ignore_index));
  }
  const int64_t* hard = labels.data();
  const T* x = args.input.data<T>();
  const T* soft = args.soft_label ? args.label.data<T>() : nullptr;
  T* probability = args.softmax->mutable_data<T>();
  T* out = args.loss->mutable_data<T>();
  ParallelFor(0, rows.rows(), rows.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t at = rows.begin(r);
      RowSoftmax<T> row = {};
      if (args.use_softmax) {
        row = SoftmaxOfRow(x + at, rows.classes, rows.inner, probability + at);
      } else {
        for (int64_t c = 0; c < rows.classes; ++c) {
          probability[at + c * rows.inner] = x[at + c * rows.inner];
        }
      }
      T value = 0;
      if (args.soft_label) {
        for (int64_t c = 0; c < rows.classes; ++c) {
          const int64_t i = at + c * rows.inner;
          if (soft[i] == 0) continue;  // 0 log 0 is 0.
          value -= soft[i] * LogProbability(x[i], args.use_softmax, row);
        }
      } else if (hard[r] != args.ignore_index) {
        value = -LogProbability(x[at + hard[r] * rows.inner], args.use_softmax,
                                row);
      }
      out[r] = value;
    }
  });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto CrossEntropyWithSoftmaxKernel =
    KernelInFloat<T, &CrossEntropyWithSoftmaxOf<FloatFor<T>>>();

template <typename S>
inline constexpr auto kCrossEntropyWithSoftmaxGradSpec =
    KernelSpec<S>().Input(S::kLabel, AnyDtype());
// With softmax: loss_grad * (softmax * sum(label) - label); without, of
// probabilities given: -loss_grad * label / softmax.
template <typename T>
absl::Status CrossEntropyWithSoftmaxGradOf(
    const CpuContext& context, const CrossEntropyWithSoftmaxGradArgs& args) {
  SY_ASSIGN_OR_RETURN(const ClassRows rows,
                      RowsAlong(args.softmax.shape(), args.axis));
  Workspace<int64_t> labels;
  if (!args.soft_label) {
    SY_ASSIGN_OR_RETURN(labels, CopyLabels(context.allocator(), args.label,
                                           rows, args.ignore_index));
  }
  const int64_t* hard = labels.data();
  const T* soft = args.soft_label ? args.label.data<T>() : nullptr;
  const T* probability = args.softmax.data<T>();
  const T* grad = args.loss_grad.data<T>();
  T* out = args.input_grad->mutable_data<T>();
  ParallelFor(0, rows.rows(), rows.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t at = rows.begin(r);
      const int64_t own = args.soft_label ? -1 : hard[r];
      const bool ignored = !args.soft_label && own == args.ignore_index;
      T total = args.soft_label ? T{0} : T{1};
      for (int64_t c = 0; args.soft_label && c < rows.classes; ++c) {
        total += soft[at + c * rows.inner];
      }
      for (int64_t c = 0; c < rows.classes; ++c) {
        const int64_t i = at + c * rows.inner;
        const T target = args.soft_label ? soft[i] : T(c == own ? 1 : 0);
        T slope = 0;
        if (args.use_softmax) {
          slope = probability[i] * total - target;
        } else if (target != 0) {
          slope = -target / probability[i];
        }
        out[i] = ignored ? T{0} : grad[r] * slope;
      }
    }
  });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto CrossEntropyWithSoftmaxGradKernel =
    KernelInFloat<T, &CrossEntropyWithSoftmaxGradOf<FloatFor<T>>>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_CROSS_ENTROPY_H_

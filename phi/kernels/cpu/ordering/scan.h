// SPDX-License-Identifier: Apache-2.0
// Running products, extremes and sums of exponentials on the CPU, and their
// gradients: a line after the other, each by one thread. All inputs are
// contiguous.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ORDERING_SCAN_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ORDERING_SCAN_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/simd/axis_slices.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// The type in which a line of T is scanned; integers wrap around.
template <typename T>
using ScanType =
    std::conditional_t<std::is_integral_v<T>, uint64_t,
                       std::conditional_t<kIsComplex<T>, T, double>>;

// A line: its first element in the direction of the scan, and from one element
// to the next.
struct ScanLine {
  int64_t first;
  int64_t step;
  int64_t extent;

  int64_t at(int64_t p) const { return first + p * step; }
};

// Calls fn(line, workspace of a line's size) for each line.
template <typename C, typename Fn>
absl::Status ForEachLine(Allocator& allocator, const AxisSlices& lines,
                         bool reverse, int64_t workspace, const Fn& fn) {
  const int64_t count = lines.outer * lines.inner;
  if (count == 0 || lines.extent == 0) return absl::OkStatus();
  const int64_t grain = std::max<int64_t>(1, (1 << 12) / lines.extent);
  return ParallelForWithWorkspace<C>(
      allocator, count, grain, workspace,
      [&](int64_t begin, int64_t end, C* elements) {
        for (int64_t l = begin; l < end; ++l) {
          ScanLine line = {
              l / lines.inner * lines.extent * lines.inner + l % lines.inner,
              lines.inner, lines.extent};
          if (reverse) {
            line.first = line.at(lines.extent - 1);
            line.step = -line.step;
          }
          fn(line, elements);
        }
      });
}

template <typename T>
T Conjugate(T v) {
  if constexpr (kIsComplex<T>) {
    return std::conj(v);
  } else {
    return v;
  }
}

template <typename S>
inline constexpr auto kCumprodSpec = KernelSpec<S>();
template <typename T>
absl::Status CumprodKernel(const CpuContext& context, const DenseTensor& x,
                           int dim, bool exclusive, bool reverse,
                           DenseTensor* out) {
  using C = ScanType<T>;
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  return ForEachLine<C>(context.allocator(), AxisSlices::Along(x.shape(), dim),
                        reverse, 0, [=](const ScanLine& line, C*) {
                          C product = C(1);
                          for (int64_t p = 0; p < line.extent; ++p) {
                            const C before = product;
                            product *= static_cast<C>(from[line.at(p)]);
                            to[line.at(p)] =
                                static_cast<T>(exclusive ? before : product);
                          }
                        });
}

template <typename S>
inline constexpr auto kCumprodGradSpec = KernelSpec<S>();
// An element gets the product of those before it, times the gradients
// of the products that it is in without their common factor. That takes no
// division, so that zeros are no exception.
template <typename T>
absl::Status CumprodGradKernel(const CpuContext& context, const DenseTensor& x,
                               const DenseTensor& out_grad, int dim,
                               bool exclusive, bool reverse,
                               DenseTensor* x_grad) {
  using C = ScanType<T>;
  const T* from = x.data<T>();
  const T* grad = out_grad.data<T>();
  T* to = x_grad->mutable_data<T>();
  const AxisSlices lines = AxisSlices::Along(x.shape(), dim);
  return ForEachLine<C>(context.allocator(), lines, reverse, lines.extent,
                        [=](const ScanLine& line, C* after) {
                          const auto element = [&](int64_t p) {
                            return Conjugate(static_cast<C>(from[line.at(p)]));
                          };
                          C sum = C(0);
                          for (int64_t p = line.extent - 1; p >= 0; --p) {
                            const bool last = p + 1 == line.extent;
                            if (exclusive) {
                              if (!last) {
                                sum = static_cast<C>(grad[line.at(p + 1)]) +
                                      element(p + 1) * sum;
                              }
                            } else {
                              const C rest = last ? C(0) : element(p + 1) * sum;
                              sum = static_cast<C>(grad[line.at(p)]) + rest;
                            }
                            after[p] = sum;
                          }
                          C before = C(1);
                          for (int64_t p = 0; p < line.extent; ++p) {
                            to[line.at(p)] = static_cast<T>(before * after[p]);
                            before *= element(p);
                          }
                        });
}

// log(exp(a) + exp(b)).
template <typename C>
C LogAdd(C a, C b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  const C larger = std::max(a, b), smaller = std::min(a, b);
  if (std::isinf(larger)) return larger;
  return larger + std::log1p(std::exp(smaller - larger));
}

template <typename S>
inline constexpr auto kLogcumsumexpSpec = KernelSpec<S>();
template <typename T>
absl::Status LogcumsumexpKernel(const CpuContext& context, const DenseTensor& x,
                                int axis, bool flatten, bool exclusive,
                                bool reverse, DenseTensor* out) {
  using C = ScanType<T>;
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  const AxisSlices lines = flatten ? AxisSlices{1, x.numel(), 1}
                                   : AxisSlices::Along(x.shape(), axis);
  return ForEachLine<C>(context.allocator(), lines, reverse, 0,
                        [=](const ScanLine& line, C*) {
                          C sum = -std::numeric_limits<C>::infinity();
                          for (int64_t p = 0; p < line.extent; ++p) {
                            const C before = sum;
                            sum = LogAdd(sum, static_cast<C>(from[line.at(p)]));
                            T& result = to[line.at(p)];
                            if (!exclusive) {
                              result = static_cast<T>(sum);
                            } else if (p == 0) {
                              result = std::numeric_limits<T>::lowest();
                            } else {
                              result = static_cast<T>(before);
                            }
                          }
                        });
}

// exp(a - b) for a <= b: 0 for a sum of nothing.
template <typename C>
C Share(C a, C b) {
  return a == -std::numeric_limits<C>::infinity() ? C(0) : std::exp(a - b);
}

template <typename S>
inline constexpr auto kLogcumsumexpGradSpec = KernelSpec<S>();
// The gradients of the sums that an element is in, each by the element's share
// of the sum. Sums grow along the line, so every exponential is 1 at most. They
// are taken again: shares of the rounded ones in `out` are off where those are
// large.
template <typename T>
absl::Status LogcumsumexpGradKernel(const CpuContext& context,
                                    const DenseTensor& x, const DenseTensor&,
                                    const DenseTensor& out_grad, int axis,
                                    bool flatten, bool exclusive, bool reverse,
                                    DenseTensor* x_grad) {
  using C = ScanType<T>;
  const T* from = x.data<T>();
  const T* grad = out_grad.data<T>();
  T* to = x_grad->mutable_data<T>();
  const AxisSlices lines = flatten ? AxisSlices{1, x.numel(), 1}
                                   : AxisSlices::Along(x.shape(), axis);
  return ForEachLine<C>(
      context.allocator(), lines, reverse, lines.extent,
      [=](const ScanLine& line, C* sums) {
        C sum = -std::numeric_limits<C>::infinity();
        for (int64_t p = 0; p < line.extent; ++p) {
          const C before = sum;
          sum = LogAdd(sum, static_cast<C>(from[line.at(p)]));
          sums[p] = exclusive ? before : sum;
        }
        // The gradients of the sum at p and those after it, by its share.
        C total = C(0);
        for (int64_t p = line.extent - 1; p >= 0; --p) {
          const C element = static_cast<C>(from[line.at(p)]);
          const bool last = p + 1 == line.extent;
          const C after = total;
          total = static_cast<C>(grad[line.at(p)]);
          if (!last) total += Share(sums[p], sums[p + 1]) * after;
          if (exclusive) {
            to[line.at(p)] = static_cast<T>(
                last ? C(0) : Share(element, sums[p + 1]) * after);
          } else {
            to[line.at(p)] = static_cast<T>(Share(element, sums[p]) * total);
          }
        }
      });
}

// Whether `value` takes the place of the best so far; a NaN does, and stays.
template <bool kMax, typename T>
bool IsFurther(T value, T best) {
  if (value != value) return true;
  if (best != best) return false;
  return kMax ? value >= best : value <= best;
}

template <bool kMax, typename T, typename I>
absl::Status ScanExtremes(Allocator& allocator, const DenseTensor& x, int axis,
                          DenseTensor* out, DenseTensor* indices) {
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  I* places = indices->mutable_data<I>();
  return ForEachLine<T>(
      allocator, AxisSlices::Along(x.shape(), axis), false, 0,
      [=](const ScanLine& line, T*) {
        int64_t best = 0;
        for (int64_t p = 0; p < line.extent; ++p) {
          if (IsFurther<kMax>(from[line.at(p)], from[line.at(best)])) {
            best = p;
          }
          to[line.at(p)] = from[line.at(best)];
          places[line.at(p)] = static_cast<I>(best);
        }
      });
}

template <bool kMax, typename T>
absl::Status RunExtremes(const CpuContext& context, const DenseTensor& x,
                         int axis, DenseTensor* out, DenseTensor* indices) {
  const int64_t extent = AxisSlices::Along(x.shape(), axis).extent;
  if (indices->dtype() == DataType::kInt64) {
    return ScanExtremes<kMax, T, int64_t>(context.allocator(), x, axis, out,
                                          indices);
  }
  if (extent > std::numeric_limits<int32_t>::max()) {
    return ArgumentError("dtype", "int64 for an axis of this extent", "int32");
  }
  return ScanExtremes<kMax, T, int32_t>(context.allocator(), x, axis, out,
                                        indices);
}

template <typename S>
inline constexpr auto kCummaxSpec = KernelSpec<S>().Output(S::kIndices,
                                                           OneOf(kIndexDtypes));
template <typename T>
absl::Status CummaxKernel(const CpuContext& context, const DenseTensor& x,
                          int axis, DataType, DenseTensor* out,
                          DenseTensor* indices) {
  return RunExtremes<true, T>(context, x, axis, out, indices);
}

template <typename S>
inline constexpr auto kCumminSpec = KernelSpec<S>().Output(S::kIndices,
                                                           OneOf(kIndexDtypes));
template <typename T>
absl::Status CumminKernel(const CpuContext& context, const DenseTensor& x,
                          int axis, DataType, DenseTensor* out,
                          DenseTensor* indices) {
  return RunExtremes<false, T>(context, x, axis, out, indices);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ORDERING_SCAN_H_

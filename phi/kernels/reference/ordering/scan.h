// SPDX-License-Identifier: Apache-2.0
// Reference kernels of running products, extremes and sums of exponentials: for
// each element a loop over those that it depends on.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ORDERING_SCAN_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ORDERING_SCAN_H_

#include <cmath>
#include <complex>
#include <limits>
#include <optional>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// Calls fn(line, p, in) for each position p of each line, where in(q) says
// whether the scan at p takes the element at q.
template <typename Fn>
void ForEachScanned(const Lines& lines, bool exclusive, bool reverse, Fn fn) {
  for (int64_t line = 0; line < lines.count(); ++line) {
    for (int64_t p = 0; p < lines.extent(); ++p) {
      fn(line, p, [=](int64_t q) {
        if (q == p) return !exclusive;
        return reverse ? q > p : q < p;
      });
    }
  }
}

template <typename S>
inline constexpr auto kCumprodSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CumprodKernel(const ReferenceContext&, const DenseTensor& x,
                           int dim, bool exclusive, bool reverse,
                           DenseTensor* out) {
  const Lines lines(x.shape(), dim);
  ForEachScanned(
      lines, exclusive, reverse, [&](int64_t line, int64_t p, auto in) {
        SumOf<T> product = static_cast<SumOf<T>>(1);
        for (int64_t q = 0; q < lines.extent(); ++q) {
          if (in(q)) {
            product *= static_cast<SumOf<T>>(At<T>(x, lines.at(line, q)));
          }
        }
        out->mutable_data<T>()[lines.at(line, p)] = static_cast<T>(product);
      });
  return absl::OkStatus();
}

// The conjugate; a real number itself.
template <typename C>
C Conjugated(C v) {
  if constexpr (kIsComplex<C>) {
    return std::conj(v);
  } else {
    return v;
  }
}

template <typename S>
inline constexpr auto kCumprodGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CumprodGradKernel(const ReferenceContext&, const DenseTensor& x,
                               const DenseTensor& out_grad, int dim,
                               bool exclusive, bool reverse,
                               DenseTensor* x_grad) {
  using C = SumOf<T>;
  const Lines lines(x.shape(), dim);
  // For each product that contains the element: the product of its other
  // factors.
  for (int64_t line = 0; line < lines.count(); ++line) {
    for (int64_t own = 0; own < lines.extent(); ++own) {
      C sum = static_cast<C>(0);
      for (int64_t p = 0; p < lines.extent(); ++p) {
        const auto in = [&](int64_t q) {
          if (q == p) return !exclusive;
          return reverse ? q > p : q < p;
        };
        if (!in(own)) continue;
        C product = static_cast<C>(At<T>(out_grad, lines.at(line, p)));
        for (int64_t q = 0; q < lines.extent(); ++q) {
          if (q == own || !in(q)) continue;
          product *= Conjugated(static_cast<C>(At<T>(x, lines.at(line, q))));
        }
        sum += product;
      }
      x_grad->mutable_data<T>()[lines.at(line, own)] = static_cast<T>(sum);
    }
  }
  return absl::OkStatus();
}

// The lines of a scan that may be of all elements in a row.
inline Lines ScannedLines(const DenseTensor& x, int axis, bool flatten) {
  return flatten ? Lines(Shape({x.numel()}), 0) : Lines(x.shape(), axis);
}

// The logarithm of the sum of exp of the elements q with in(q); there is none
// of no elements.
template <typename T, typename In>
std::optional<double> LogSum(const DenseTensor& x, const Lines& lines,
                             int64_t line, In in) {
  double largest = -std::numeric_limits<double>::infinity();
  bool any = false;
  for (int64_t q = 0; q < lines.extent(); ++q) {
    if (!in(q)) continue;
    any = true;
    const double v = At<T>(x, lines.at(line, q));
    if (v > largest || v != v) largest = v;
  }
  if (!any) return std::nullopt;
  if (std::isinf(largest)) return largest;
  double sum = 0;
  for (int64_t q = 0; q < lines.extent(); ++q) {
    if (in(q)) sum += std::exp(double(At<T>(x, lines.at(line, q))) - largest);
  }
  return std::log(sum) + largest;
}

template <typename S>
inline constexpr auto kLogcumsumexpSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LogcumsumexpKernel(const ReferenceContext&, const DenseTensor& x,
                                int axis, bool flatten, bool exclusive,
                                bool reverse, DenseTensor* out) {
  const Lines lines = ScannedLines(x, axis, flatten);
  ForEachScanned(
      lines, exclusive, reverse, [&](int64_t line, int64_t p, auto in) {
        const std::optional<double> sum = LogSum<T>(x, lines, line, in);
        out->mutable_data<T>()[lines.at(line, p)] =
            sum ? static_cast<T>(*sum) : std::numeric_limits<T>::lowest();
      });
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLogcumsumexpGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LogcumsumexpGradKernel(const ReferenceContext&,
                                    const DenseTensor& x, const DenseTensor&,
                                    const DenseTensor& out_grad, int axis,
                                    bool flatten, bool exclusive, bool reverse,
                                    DenseTensor* x_grad) {
  const Lines lines = ScannedLines(x, axis, flatten);
  for (int64_t line = 0; line < lines.count(); ++line) {
    for (int64_t own = 0; own < lines.extent(); ++own) {
      const double v = At<T>(x, lines.at(line, own));
      double sum = 0;
      for (int64_t p = 0; p < lines.extent(); ++p) {
        const auto in = [&](int64_t q) {
          if (q == p) return !exclusive;
          return reverse ? q > p : q < p;
        };
        if (!in(own) || std::isinf(v)) continue;
        sum += double(At<T>(out_grad, lines.at(line, p))) *
               std::exp(v - *LogSum<T>(x, lines, line, in));
      }
      x_grad->mutable_data<T>()[lines.at(line, own)] = static_cast<T>(sum);
    }
  }
  return absl::OkStatus();
}

template <typename T>
void StorePosition(DenseTensor* indices, int64_t at, int64_t position) {
  indices->mutable_data<T>()[at] = static_cast<T>(position);
}

template <typename T, typename Better>
void FindRunningExtremes(const DenseTensor& x, int axis, Better better,
                         DenseTensor* out, DenseTensor* indices) {
  const Lines lines(x.shape(), axis);
  ForEachScanned(lines, false, false, [&](int64_t line, int64_t p, auto in) {
    int64_t best = 0;
    for (int64_t q = 1; q < lines.extent() && in(q); ++q) {
      const T value = At<T>(x, lines.at(line, q));
      const T held = At<T>(x, lines.at(line, best));
      const bool is_nan = value != value, held_nan = held != held;
      if (is_nan || (!held_nan && better(value, held))) best = q;
    }
    const int64_t at = lines.at(line, p);
    out->mutable_data<T>()[at] = At<T>(x, lines.at(line, best));
    if (indices->dtype() == DataType::kInt32) {
      StorePosition<int32_t>(indices, at, best);
    } else {
      StorePosition<int64_t>(indices, at, best);
    }
  });
}

template <typename S>
inline constexpr auto kCummaxSpec =
    KernelSpec<S>().AllStrided().Output(S::kIndices, OneOf(kIndexDtypes));
template <typename T>
absl::Status CummaxKernel(const ReferenceContext&, const DenseTensor& x,
                          int axis, DataType, DenseTensor* out,
                          DenseTensor* indices) {
  FindRunningExtremes<T>(
      x, axis, [](T a, T b) { return !(a < b); }, out, indices);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kCumminSpec =
    KernelSpec<S>().AllStrided().Output(S::kIndices, OneOf(kIndexDtypes));
template <typename T>
absl::Status CumminKernel(const ReferenceContext&, const DenseTensor& x,
                          int axis, DataType, DenseTensor* out,
                          DenseTensor* indices) {
  FindRunningExtremes<T>(
      x, axis, [](T a, T b) { return !(b < a); }, out, indices);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ORDERING_SCAN_H_

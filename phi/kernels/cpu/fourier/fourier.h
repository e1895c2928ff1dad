// SPDX-License-Identifier: Apache-2.0
// The kernels of discrete Fourier transforms on the CPU: one axis after the
// other, and lines that lie side by side together. The transform of a line is
// in fourier_line.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_FOURIER_FOURIER_H_
#define SWITCHYARD_PHI_KERNELS_CPU_FOURIER_FOURIER_H_

#include <algorithm>
#include <complex>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/fourier/fourier_line.h"
#include "phi/kernels/cpu/simd/axis_slices.h"
#include "phi/kernels/cpu/simd/workspace.h"
#include "phi/shapes/fourier.h"

namespace switchyard::phi::kernels::cpu {

// Stands for the elements of a line that are not given.
enum class Rest { kConjugates, kZeros };

// Element p of the n of a line of which `given` lie in memory, `inner` apart.
// Where the rest are conjugates, elements that are their own are real.
template <typename From>
auto LineElement(const From* line, int64_t inner, int64_t given, int64_t n,
                 int64_t p, Rest rest) {
  if constexpr (!kIsComplex<From>) {
    return std::complex<From>(line[p * inner]);
  } else {
    if (rest == Rest::kZeros) return p < given ? line[p * inner] : From();
    if (p == 0 || 2 * p == n) return From(line[p * inner].real());
    return p < given ? line[p * inner] : std::conj(line[(n - p) * inner]);
  }
}

// Stores what `To` holds of a result.
template <typename T>
void StoreResult(std::complex<T> result, std::complex<T>* to) {
  *to = result;
}
template <typename T>
void StoreResult(std::complex<T> result, T* to) {
  *to = result.real();
}

// Transforms the lines of `from` and stores the first elements of each result,
// times `factor`. `from` may be `to` where their lines are equally long.
template <typename T, typename From, typename To>
absl::Status TransformLines(Allocator& allocator, const FourierLine<T>& line,
                            const AxisSlices& given, int64_t stored, T factor,
                            Rest rest, const From* from, To* to) {
  constexpr int64_t kWidth = 8;  // Lines that are moved together: cache lines.
  const int64_t n = line.n(), inner = given.inner;
  const int64_t width = std::min(kWidth, inner);
  const int64_t groups = (inner + kWidth - 1) / kWidth;
  const int64_t grain = std::max<int64_t>(1, (1 << 13) / (n * width));
  return ParallelForWithWorkspace<std::complex<T>>(
      allocator, given.outer * groups, grain, 2 * n * width + line.workspace(),
      [&](int64_t begin, int64_t end, std::complex<T>* x) {
        std::complex<T>* const results = x + n * width;
        std::complex<T>* const workspace = results + n * width;
        for (int64_t group = begin; group < end; ++group) {
          const int64_t o = group / groups, first = group % groups * kWidth;
          const int64_t lines = std::min(kWidth, inner - first);
          const From* source = from + o * given.extent * inner + first;
          for (int64_t p = 0; p < n; ++p) {
            for (int64_t i = 0; i < lines; ++i) {
              x[i * n + p] =
                  LineElement(source + i, inner, given.extent, n, p, rest);
            }
          }
          for (int64_t i = 0; i < lines; ++i) {
            line.Run(x + i * n, results + i * n, workspace);
          }
          To* target = to + o * stored * inner + first;
          for (int64_t p = 0; p < stored; ++p) {
            for (int64_t i = 0; i < lines; ++i) {
              StoreResult(results[i * n + p] * factor, target + p * inner + i);
            }
          }
        }
      });
}

// Transforms complex numbers along `axes`, from `from` to `to` and then in
// place; the first axis multiplies by `factor`. Nothing is done without axes.
template <typename T>
absl::Status TransformAxes(Allocator& allocator, const Shape& shape,
                           absl::Span<const int64_t> axes, bool forward,
                           T factor, const std::complex<T>* from,
                           std::complex<T>* to) {
  for (size_t i = 0; i < axes.size(); ++i) {
    const AxisSlices slices = AxisSlices::Along(shape, axes[i]);
    const FourierLine<T> line(slices.extent, forward);
    SY_RETURN_IF_ERROR(TransformLines(allocator, line, slices, slices.extent,
                                      i == 0 ? factor : T{1}, Rest::kZeros,
                                      i == 0 ? from : to, to));
  }
  return absl::OkStatus();
}

// The factor of a transform whose real or complex extents are `shape`'s.
inline double FactorOf(const Shape& shape, absl::Span<const int64_t> axes,
                       std::string_view normalization, bool forward) {
  double n = 1;
  for (const int64_t axis : axes) {
    n *= static_cast<double>(AxisSlices::Along(shape, axis).extent);
  }
  return FourierFactor(normalization, forward, n);
}

template <typename S>
inline constexpr auto kFftC2cSpec = KernelSpec<S>();
template <typename T>
absl::Status FftC2cKernel(const CpuContext& context, const DenseTensor& x,
                          absl::Span<const int64_t> axes,
                          std::string_view normalization, bool forward,
                          DenseTensor* out) {
  using Part = typename T::value_type;
  if (x.numel() == 0) return absl::OkStatus();
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  if (axes.empty()) std::copy_n(from, x.numel(), to);
  const double factor = FactorOf(x.shape(), axes, normalization, forward);
  return TransformAxes<Part>(context.allocator(), x.shape(), axes, forward,
                             static_cast<Part>(factor), from, to);
}

template <typename S>
inline constexpr auto kFftR2cSpec = KernelSpec<S>().Output(S::kOut, AnyDtype());
template <typename T>
absl::Status FftR2cKernel(const CpuContext& context, const DenseTensor& x,
                          absl::Span<const int64_t> axes,
                          std::string_view normalization, bool forward,
                          bool /*onesided*/, DenseTensor* out) {
  using Complex = std::complex<T>;
  if (x.numel() == 0) return absl::OkStatus();
  const AxisSlices slices = AxisSlices::Along(x.shape(), axes.back());
  const int64_t stored = AxisSlices::Along(out->shape(), axes.back()).extent;
  const double factor = FactorOf(x.shape(), axes, normalization, forward);
  Complex* to = out->mutable_data<Complex>();
  const FourierLine<T> line(slices.extent, forward);
  SY_RETURN_IF_ERROR(TransformLines(context.allocator(), line, slices, stored,
                                    static_cast<T>(factor), Rest::kZeros,
                                    x.data<T>(), to));
  axes.remove_suffix(1);
  return TransformAxes<T>(context.allocator(), out->shape(), axes, forward,
                          T{1}, to, to);
}

// The real parts of the transform of x, of which the last axis is completed to
// that of `out`.
template <typename T>
absl::Status TransformToReals(Allocator& allocator, const DenseTensor& x,
                              absl::Span<const int64_t> axes, bool forward,
                              double factor, Rest rest, DenseTensor* out) {
  using Complex = std::complex<T>;
  const AxisSlices slices = AxisSlices::Along(x.shape(), axes.back());
  const int64_t n = AxisSlices::Along(out->shape(), axes.back()).extent;
  const absl::Span<const int64_t> others = axes.subspan(0, axes.size() - 1);
  const Complex* from = x.data<Complex>();
  Workspace<Complex> transformed;
  if (!others.empty()) {
    SY_ASSIGN_OR_RETURN(transformed,
                        Workspace<Complex>::Make(allocator, x.numel()));
    SY_RETURN_IF_ERROR(TransformAxes<T>(allocator, x.shape(), others, forward,
                                        T{1}, from, transformed.data()));
    from = transformed.data();
  }
  const FourierLine<T> line(n, forward);
  return TransformLines(allocator, line, slices, n, static_cast<T>(factor),
                        rest, from, out->mutable_data<T>());
}

template <typename S>
inline constexpr auto kFftR2cGradSpec = KernelSpec<S>().Input(S::kOutGrad,
                                                              AnyDtype());
template <typename T>
absl::Status FftR2cGradKernel(const CpuContext& context,
                              const DenseTensor& out_grad,
                              absl::Span<const int64_t> axes,
                              std::string_view normalization, bool forward,
                              DenseTensor* x_grad) {
  if (x_grad->numel() == 0) return absl::OkStatus();
  return TransformToReals<T>(
      context.allocator(), out_grad, axes, !forward,
      FactorOf(x_grad->shape(), axes, normalization, forward), Rest::kZeros,
      x_grad);
}

template <typename S>
inline constexpr auto kFftC2rSpec = KernelSpec<S>().Output(S::kOut, AnyDtype());
template <typename T>
absl::Status FftC2rKernel(const CpuContext& context, const DenseTensor& x,
                          absl::Span<const int64_t> axes,
                          std::string_view normalization, bool forward,
                          DenseTensor* out) {
  if (x.numel() == 0) return absl::OkStatus();
  return TransformToReals<typename T::value_type>(
      context.allocator(), x, axes, forward,
      FactorOf(out->shape(), axes, normalization, forward), Rest::kConjugates,
      out);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_FOURIER_FOURIER_H_

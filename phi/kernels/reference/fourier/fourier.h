// SPDX-License-Identifier: Apache-2.0
// Reference kernels: discrete Fourier transforms by their definition, n * n
// products for n elements, in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_FOURIER_FOURIER_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_FOURIER_FOURIER_H_

#include <cmath>
#include <complex>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"
#include "phi/shapes/fourier.h"

namespace switchyard::phi::kernels::reference {

// A contiguous tensor of complex numbers; owns its elements. One thread at a
// time may change it.
struct Frequencies {
  Shape shape;
  std::vector<std::complex<double>> values;

  template <typename T>
  static Frequencies Of(const DenseTensor& x) {
    Frequencies result{x.shape(), {}};
    for (int64_t i = 0; i < x.numel(); ++i) {
      result.values.emplace_back(At<T>(x, i));
    }
    return result;
  }

  std::complex<double>& at(const Index& index) {
    return values[static_cast<size_t>(Ravel(shape, index))];
  }

  // The sums over one axis, which are multiplied by exp(-2 pi i / n)^(j k).
  void Transform(int axis, bool forward) {
    const int64_t n = shape.extent(axis);
    const double turn = (forward ? -2 : 2) * std::acos(-1.0);
    std::vector<std::complex<double>> sums(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      Index index = Unravel(shape, static_cast<int64_t>(i));
      const int64_t k = std::exchange(index[axis], 0);
      for (; index[axis] < n; ++index[axis]) {
        const auto part = static_cast<double>(index[axis] * k % n);
        sums[i] += at(index) * std::polar(1.0, turn * part / n);
      }
    }
    values = std::move(sums);
  }

  // All n elements of an axis of which the first ones are here; what lacks is
  // the conjugate of another one, or 0.
  Frequencies Completed(int axis, int64_t n, bool conjugates) {
    Frequencies all{shape, {}};
    all.shape[axis] = n;
    const int64_t count = all.shape.numel();
    for (int64_t i = 0; i < count; ++i) {
      Index index = Unravel(all.shape, i);
      const int64_t k = index[axis];
      const bool missing = k >= shape.extent(axis);
      if (missing) index[axis] = n - k;
      std::complex<double> value = at(index);
      if (conjugates && (k == 0 || 2 * k == n)) value = value.real();
      if (missing) value = conjugates ? std::conj(value) : 0;
      all.values.push_back(value);
    }
    return all;
  }
};

inline int FourierAxis(const DenseTensor& x, int64_t axis) {
  return static_cast<int>(axis < 0 ? axis + x.rank() : axis);
}

// The factor of a transform over axes of `like`'s extents.
inline double FactorOf(const DenseTensor& like, absl::Span<const int64_t> axes,
                       std::string_view normalization, bool forward) {
  double n = 1;
  for (const int64_t axis : axes) n *= like.extent(FourierAxis(like, axis));
  return FourierFactor(normalization, forward, n);
}

template <typename S>
inline constexpr auto kFftC2cSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status FftC2cKernel(const ReferenceContext&, const DenseTensor& x,
                          absl::Span<const int64_t> axes,
                          std::string_view normalization, bool forward,
                          DenseTensor* out) {
  Frequencies result = Frequencies::Of<T>(x);
  for (const int64_t a : axes) result.Transform(FourierAxis(x, a), forward);
  const double factor = FactorOf(x, axes, normalization, forward);
  for (size_t i = 0; i < result.values.size(); ++i) {
    out->mutable_data<T>()[i] = static_cast<T>(result.values[i] * factor);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFftR2cSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, AnyDtype());
// All frequencies are computed; those that are wanted are stored.
template <typename T>
absl::Status FftR2cKernel(const ReferenceContext&, const DenseTensor& x,
                          absl::Span<const int64_t> axes,
                          std::string_view normalization, bool forward,
                          bool /*onesided*/, DenseTensor* out) {
  Frequencies result = Frequencies::Of<T>(x);
  for (const int64_t a : axes) result.Transform(FourierAxis(x, a), forward);
  const double factor = FactorOf(x, axes, normalization, forward);
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<std::complex<T>>()[i] = static_cast<std::complex<T>>(
        result.at(Unravel(out->shape(), i)) * factor);
  }
  return absl::OkStatus();
}

// The real parts of the transform of x, times `factor`.
template <typename T>
void TransformToReals(const DenseTensor& x, absl::Span<const int64_t> axes,
                      bool forward, bool conjugates, double factor,
                      DenseTensor* out) {
  Frequencies given = Frequencies::Of<std::complex<T>>(x);
  for (size_t i = 0; i + 1 < axes.size(); ++i) {
    given.Transform(FourierAxis(x, axes[i]), forward);
  }
  const int last = FourierAxis(x, axes.back());
  Frequencies result = given.Completed(last, out->extent(last), conjugates);
  result.Transform(last, forward);
  for (size_t i = 0; i < result.values.size(); ++i) {
    out->mutable_data<T>()[i] =
        static_cast<T>(result.values[i].real() * factor);
  }
}

template <typename S>
inline constexpr auto kFftR2cGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kOutGrad, AnyDtype());
template <typename T>
absl::Status FftR2cGradKernel(const ReferenceContext&,
                              const DenseTensor& out_grad,
                              absl::Span<const int64_t> axes,
                              std::string_view normalization, bool forward,
                              DenseTensor* x_grad) {
  TransformToReals<T>(out_grad, axes, !forward, /*conjugates=*/false,
                      FactorOf(*x_grad, axes, normalization, forward), x_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFftC2rSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, AnyDtype());
template <typename T>
absl::Status FftC2rKernel(const ReferenceContext&, const DenseTensor& x,
                          absl::Span<const int64_t> axes,
                          std::string_view normalization, bool forward,
                          DenseTensor* out) {
  TransformToReals<typename T::value_type>(
      x, axes, forward, /*conjugates=*/true,
      FactorOf(*out, axes, normalization, forward), out);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_FOURIER_FOURIER_H_

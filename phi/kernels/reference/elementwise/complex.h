// SPDX-License-Identifier: Apache-2.0
// Reference kernels: complex numbers and their parts.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_COMPLEX_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_COMPLEX_H_

#include <cmath>
#include <complex>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kComplexSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, AnyDtype());
// T is the type of the parts.
template <typename T>
absl::Status ComplexKernel(const ReferenceContext&, const DenseTensor& real,
                           const DenseTensor& imag, DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    T* const parts = out->mutable_data<T>() + 2 * i;
    parts[0] = BroadcastAt<T>(real, out->shape(), i);
    parts[1] = BroadcastAt<T>(imag, out->shape(), i);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRealSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, AnyDtype());
template <typename T>
absl::Status RealKernel(const ReferenceContext&, const DenseTensor& x,
                        DenseTensor* out) {
  return Convert<T, typename T::value_type>(
      x, out, [](std::complex<double> v) { return v.real(); });
}

template <typename S>
inline constexpr auto kImagSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, AnyDtype());
template <typename T>
absl::Status ImagKernel(const ReferenceContext&, const DenseTensor& x,
                        DenseTensor* out) {
  return Convert<T, typename T::value_type>(
      x, out, [](std::complex<double> v) { return v.imag(); });
}

template <typename S>
inline constexpr auto kConjSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ConjKernel(const ReferenceContext&, const DenseTensor& x,
                        DenseTensor* out) {
  return Unary<T, std::complex<double>>(
      x, out, [](std::complex<double> v) { return std::conj(v); });
}

template <typename S>
inline constexpr auto kAngleSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, AnyDtype());
// A real number has the angle 0 or pi; NaN stays NaN.
template <typename T>
absl::Status AngleKernel(const ReferenceContext&, const DenseTensor& x,
                         DenseTensor* out) {
  if constexpr (kIsComplex<T>) {
    return Convert<T, typename T::value_type>(
        x, out, [](std::complex<double> v) { return std::arg(v); });
  } else {
    return Unary<T, double>(x, out, [](double v) {
      return v != v ? v : v < 0 ? std::acos(-1.0) : 0.0;
    });
  }
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_COMPLEX_H_

// SPDX-License-Identifier: Apache-2.0
// The kernels of eigenvalues of stacks of matrices on the CPU: eig and eigvals,
// by Eigen (any_spectrum.h).
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_SPECTRUM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_SPECTRUM_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/decomposition/any_spectrum.h"
#include "phi/kernels/cpu/linear_solve/matrices.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kEigSpec =
    KernelSpec<S>().Output(S::kOutW, AnyDtype()).Output(S::kOutV, AnyDtype());
template <typename T>
absl::Status EigKernel(const CpuContext&, const DenseTensor& x,
                       DenseTensor* out_w, DenseTensor* out_v) {
  using Complex = ComplexOfNumber<T>;
  const int64_t n = x.extent(x.rank() - 1);
  const T* from = x.data<T>();
  auto* w = out_w->mutable_data<Complex>();
  auto* v = out_v == nullptr ? nullptr : out_v->mutable_data<Complex>();
  const int64_t unfit =
      FirstUnfit(MatrixCount(x.shape()), n * n * n, [=](int64_t i) {
        return FactorSpectrum(n, from + i * n * n, w + i * n,
                              v == nullptr ? nullptr : v + i * n * n);
      });
  return CheckFit(unfit, "finite");
}

template <typename S>
inline constexpr auto kEigvalsSpec = KernelSpec<S>().Output(S::kEigenvalues,
                                                            AnyDtype());
template <typename T>
absl::Status EigvalsKernel(const CpuContext& context, const DenseTensor& x,
                           DenseTensor* eigenvalues) {
  return EigKernel<T>(context, x, eigenvalues, nullptr);
}

template <typename S>
inline constexpr auto kEigGradSpec = KernelSpec<S>()
                                         .Input(S::kOutW, AnyDtype())
                                         .Input(S::kOutV, AnyDtype())
                                         .Input(S::kOutWGrad, AnyDtype())
                                         .Input(S::kOutVGrad, AnyDtype());
template <typename T>
absl::Status EigGradKernel(const CpuContext&, const DenseTensor& x,
                           const DenseTensor& out_w, const DenseTensor& out_v,
                           const DenseTensor& out_w_grad,
                           const DenseTensor& out_v_grad, DenseTensor* x_grad) {
  using Complex = ComplexOfNumber<T>;
  const int64_t n = x.extent(x.rank() - 1);
  const auto* w = out_w.data<Complex>();
  const auto* v = out_v.data<Complex>();
  const auto* w_grad = out_w_grad.data<Complex>();
  const auto* v_grad = out_v_grad.data<Complex>();
  T* to = x_grad->mutable_data<T>();
  FirstUnfit(MatrixCount(x.shape()), n * n * n, [=](int64_t i) {
    SpectrumGradient(n, w + i * n, v + i * n * n, w_grad + i * n,
                     v_grad + i * n * n, to + i * n * n);
    return true;
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_SPECTRUM_H_

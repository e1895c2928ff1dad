// SPDX-License-Identifier: Apache-2.0
// Reference kernels of operators that exist for old programs.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_LEGACY_LEGACY_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_LEGACY_LEGACY_H_

#include <complex>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The index in an operand of what is added at `index` of out: its axes stand at
// `axis` of out's (-1: they are its last ones).
inline Index OwnIndex(const DenseTensor& operand, int out_rank, int axis,
                      const Index& index) {
  const int missing = out_rank - operand.rank();
  const int lead = axis == -1 || missing == 0 ? missing : axis;
  Index own = {};
  for (int i = 0; i < operand.rank(); ++i) {
    own[i] = operand.extent(i) == 1 ? 0 : index[lead + i];
  }
  return own;
}

// A complex kernel has a real operand cast; others cast none.
template <typename S>
inline constexpr auto kElementwiseAddSpec = SpecByDtype{
    DataTypeSet(DataType::kComplex64, DataType::kComplex128),
    KernelSpec<S>().AllStrided(),
    KernelSpec<S>().AllStrided().Input(
        S::kY, WithAnyStrides(OneOf(DataTypeSet(
                   DataType::kInt8, DataType::kInt32, DataType::kInt64,
                   DataType::kFloat32, DataType::kFloat64))))};
template <typename T>
absl::Status ElementwiseAddKernel(const ReferenceContext&, const DenseTensor& x,
                                  const DenseTensor& y, int axis,
                                  DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index index = Unravel(out->shape(), i);
    const T a = At<T>(x, OwnIndex(x, out->rank(), axis, index));
    const T b = At<T>(y, OwnIndex(y, out->rank(), axis, index));
    out->mutable_data<T>()[i] = a + b;
  }
  return absl::OkStatus();
}

// x is real, y complex; both are read as they are.
template <typename S>
inline constexpr auto kElementwiseAddPromotedSpec =
    KernelSpec<S>().AllStrided().Input(
        S::kY, WithAnyStrides(OneOf(DataTypeSet(DataType::kComplex64,
                                                DataType::kComplex128))));
template <typename T>
absl::Status ElementwiseAddPromotedKernel(const ReferenceContext&,
                                          const DenseTensor& x,
                                          const DenseTensor& y, int axis,
                                          DenseTensor* out) {
  using Complex = std::complex<T>;
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index index = Unravel(out->shape(), i);
    const T a = At<T>(x, OwnIndex(x, out->rank(), axis, index));
    const Complex b = At<Complex>(y, OwnIndex(y, out->rank(), axis, index));
    out->mutable_data<Complex>()[i] = Complex(a + b.real(), b.imag());
  }
  return absl::OkStatus();
}

// grad = out_grad summed over what each element was added to; of complex sums
// the real parts, where the operand is real.
template <typename T>
void SumTo(const DenseTensor& like, const DenseTensor& out_grad, int axis,
           DenseTensor* grad) {
  if (grad == nullptr) return;
  std::vector<SumOf<T>> sums(grad->numel());
  for (int64_t i = 0; i < out_grad.numel(); ++i) {
    const Index index =
        OwnIndex(like, out_grad.rank(), axis, Unravel(out_grad.shape(), i));
    sums[Ravel(like.shape(), index)] += At<T>(out_grad, i);
  }
  for (int64_t k = 0; k < grad->numel(); ++k) {
    if (grad->dtype() == DataTypeOf<T>::value) {
      grad->mutable_data<T>()[k] = static_cast<T>(sums[k]);
    } else if constexpr (kIsComplex<T>) {
      using Real = typename T::value_type;
      grad->mutable_data<Real>()[k] = static_cast<Real>(sums[k].real());
    }
  }
}

template <typename S>
inline constexpr auto kElementwiseAddGradSpec =
    KernelSpec<S>()
        .AllStrided()
        .Input(S::kX, WithAnyStrides(AnyDtype()))
        .Input(S::kY, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status ElementwiseAddGradKernel(const ReferenceContext&,
                                      const DenseTensor& x,
                                      const DenseTensor& y,
                                      const DenseTensor& out_grad, int axis,
                                      DenseTensor* x_grad,
                                      DenseTensor* y_grad) {
  SumTo<T>(x, out_grad, axis, x_grad);
  SumTo<T>(y, out_grad, axis, y_grad);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_LEGACY_LEGACY_H_

// SPDX-License-Identifier: Apache-2.0
// Reference kernels of operators that exist for old programs.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_LEGACY_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_LEGACY_H_

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

template <typename S>
inline constexpr auto kElementwiseAddSpec = KernelSpec<S>().AllStrided();
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

// grad = out_grad summed over what each element was added to.
template <typename T>
void SumTo(const DenseTensor& like, const DenseTensor& out_grad, int axis,
           DenseTensor* grad) {
  if (grad == nullptr) return;
  std::vector<double> sums(grad->numel());
  for (int64_t i = 0; i < out_grad.numel(); ++i) {
    const Index index =
        OwnIndex(like, out_grad.rank(), axis, Unravel(out_grad.shape(), i));
    sums[Ravel(like.shape(), index)] += At<T>(out_grad, i);
  }
  for (int64_t k = 0; k < grad->numel(); ++k) {
    grad->mutable_data<T>()[k] = static_cast<T>(sums[k]);
  }
}

template <typename S>
inline constexpr auto kElementwiseAddGradSpec = KernelSpec<S>().AllStrided();
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

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_LEGACY_H_

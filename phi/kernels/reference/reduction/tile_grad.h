// SPDX-License-Identifier: Apache-2.0
// The reference kernel of tile_grad: a sum over the copies of each element.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_REDUCTION_TILE_GRAD_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_REDUCTION_TILE_GRAD_H_

#include <complex>
#include <type_traits>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kTileGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status TileGradKernel(const ReferenceContext&, const DenseTensor&,
                            const DenseTensor& out_grad, IntArray,
                            DenseTensor* x_grad) {
  using Sum = std::conditional_t<kIsComplex<T>, std::complex<double>, double>;
  std::vector<Sum> sums(x_grad->numel());
  const int lead = out_grad.rank() - x_grad->rank();
  for (int64_t i = 0; i < out_grad.numel(); ++i) {
    const Index index = Unravel(out_grad.shape(), i);
    Index own = {};
    for (int axis = 0; axis < x_grad->rank(); ++axis) {
      own[axis] = index[lead + axis] % x_grad->extent(axis);
    }
    sums[Ravel(x_grad->shape(), own)] += static_cast<Sum>(At<T>(out_grad, i));
  }
  for (int64_t i = 0; i < x_grad->numel(); ++i) {
    x_grad->mutable_data<T>()[i] = static_cast<T>(sums[i]);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_REDUCTION_TILE_GRAD_H_

// SPDX-License-Identifier: Apache-2.0
// group_norm and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_GROUP_NORM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_GROUP_NORM_H_

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/group_norm.args.gen.h"
#include "phi/core/signatures/group_norm_grad.args.gen.h"
#include "phi/kernels/cpu/normalization/groups_grad.h"
#include "phi/kernels/cpu/normalization/normalize_groups.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kGroupNormSpec =
    KernelSpec<S>().Input(S::kScale, AnyDtype()).Input(S::kBias, AnyDtype());
template <typename T>
absl::Status GroupNormKernel(const CpuContext& context,
                             const GroupNormArgs& args) {
  return NormalizeGroups<T>(
      context,
      {args.x, args.scale, args.bias, args.epsilon, args.out, args.mean,
       args.variance, SavedSpread::kVariance},
      ChannelGroups::Of(args.x.shape(), args.groups, args.data_format));
}

template <typename S>
inline constexpr auto kGroupNormGradSpec =
    KernelSpec<S>()
        .Input(S::kScale, AnyDtype())
        .Input(S::kBias, WithAnyStrides(AnyDtype()))
        .Inputs({S::kMean, S::kVariance, S::kMeanGrad, S::kVarianceGrad},
                AnyDtype());
template <typename T>
absl::Status GroupNormGradKernel(const CpuContext& context,
                                 const GroupNormGradArgs& args) {
  return DifferentiateGroups<T>(
      context,
      {args.x, args.scale, args.mean, args.variance, args.out_grad,
       args.mean_grad, args.variance_grad, args.epsilon, args.x_grad,
       args.scale_grad, args.bias_grad, SavedSpread::kVariance},
      ChannelGroups::Of(args.x.shape(), args.groups, args.data_format));
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_GROUP_NORM_H_

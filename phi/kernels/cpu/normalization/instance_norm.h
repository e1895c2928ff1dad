// SPDX-License-Identifier: Apache-2.0
// instance_norm and its gradient on the CPU: a channel of an item is a group.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_INSTANCE_NORM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_INSTANCE_NORM_H_

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/instance_norm_grad.args.gen.h"
#include "phi/kernels/cpu/normalization/groups_grad.h"
#include "phi/kernels/cpu/normalization/normalize_groups.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kInstanceNormSpec =
    KernelSpec<S>().Input(S::kScale, AnyDtype()).Input(S::kBias, AnyDtype());
template <typename T>
absl::Status InstanceNormKernel(const CpuContext& context, const DenseTensor& x,
                                const DenseTensor* scale,
                                const DenseTensor* bias, double epsilon,
                                DenseTensor* out, DenseTensor* saved_mean,
                                DenseTensor* saved_variance) {
  return NormalizeGroups<T>(context,
                            {x, scale, bias, epsilon, out, saved_mean,
                             saved_variance, SavedSpread::kInverse},
                            ChannelGroups::OfChannels(x.shape()));
}

template <typename S>
inline constexpr auto kInstanceNormGradSpec =
    KernelSpec<S>()
        .Input(S::kScale, AnyDtype())
        .Input(S::kBias, WithAnyStrides(AnyDtype()))
        .Inputs({S::kSavedMean, S::kSavedVariance, S::kSavedMeanGrad,
                 S::kSavedVarianceGrad},
                AnyDtype());
template <typename T>
absl::Status InstanceNormGradKernel(const CpuContext& context,
                                    const InstanceNormGradArgs& args) {
  return DifferentiateGroups<T>(
      context,
      {args.x, args.scale, args.saved_mean, args.saved_variance, args.out_grad,
       args.saved_mean_grad, args.saved_variance_grad, args.epsilon,
       args.x_grad, args.scale_grad, args.bias_grad, SavedSpread::kInverse},
      ChannelGroups::OfChannels(args.x.shape()));
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_INSTANCE_NORM_H_

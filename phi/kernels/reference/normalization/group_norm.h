// SPDX-License-Identifier: Apache-2.0
// Reference kernels of group_norm and its gradient.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_GROUP_NORM_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_GROUP_NORM_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/group_norm.args.gen.h"
#include "phi/core/signatures/group_norm_grad.args.gen.h"
#include "phi/kernels/reference/normalization/channel_groups.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kGroupNormSpec = KernelSpec<S>().AllStrided().Inputs(
    {S::kScale, S::kBias}, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status GroupNormKernel(const ReferenceContext&,
                             const GroupNormArgs& args) {
  NormalizeSets<T>(
      {args.x, args.scale, args.bias, args.epsilon, false},
      GroupedChannels(args.x.shape(), args.groups, args.data_format), args.out,
      args.mean, args.variance);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kGroupNormGradSpec = KernelSpec<S>().AllStrided().Inputs(
    {S::kScale, S::kBias, S::kMean, S::kVariance, S::kMeanGrad,
     S::kVarianceGrad},
    WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status GroupNormGradKernel(const ReferenceContext&,
                                 const GroupNormGradArgs& args) {
  DifferentiateSets<T>(
      {args.x, args.scale, args.bias, args.epsilon, false},
      GroupedChannels(args.x.shape(), args.groups, args.data_format),
      {args.out_grad, args.mean_grad, args.variance_grad},
      {args.x_grad, args.scale_grad, args.bias_grad});
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_GROUP_NORM_H_

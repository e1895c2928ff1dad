// SPDX-License-Identifier: Apache-2.0
// Reference kernels of instance_norm and its gradient.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_INSTANCE_NORM_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_INSTANCE_NORM_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/instance_norm_grad.args.gen.h"
#include "phi/kernels/reference/normalization/channel_groups.h"

namespace switchyard::phi::kernels::reference {

inline GroupedChannels EachChannel(const Shape& shape) {
  return GroupedChannels(shape, shape.extent(1), "NCHW");
}

template <typename S>
inline constexpr auto kInstanceNormSpec = KernelSpec<S>().AllStrided().Inputs(
    {S::kScale, S::kBias}, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status InstanceNormKernel(const ReferenceContext&, const DenseTensor& x,
                                const DenseTensor* scale,
                                const DenseTensor* bias, double epsilon,
                                DenseTensor* out, DenseTensor* saved_mean,
                                DenseTensor* saved_variance) {
  NormalizeSets<T>({x, scale, bias, epsilon, true}, EachChannel(x.shape()), out,
                   saved_mean, saved_variance);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kInstanceNormGradSpec =
    KernelSpec<S>().AllStrided().Inputs({S::kScale, S::kBias, S::kSavedMean,
                                         S::kSavedVariance, S::kSavedMeanGrad,
                                         S::kSavedVarianceGrad},
                                        WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status InstanceNormGradKernel(const ReferenceContext&,
                                    const InstanceNormGradArgs& args) {
  DifferentiateSets<T>(
      {args.x, args.scale, args.bias, args.epsilon, true},
      EachChannel(args.x.shape()),
      {args.out_grad, args.saved_mean_grad, args.saved_variance_grad},
      {args.x_grad, args.scale_grad, args.bias_grad});
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_NORMALIZATION_INSTANCE_NORM_H_

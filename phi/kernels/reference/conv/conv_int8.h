// SPDX-License-Identifier: Apache-2.0
// The reference kernel of conv2d_int8: exact sums in integers, then each step
// of the definition in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_INT8_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_INT8_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/conv/conv_epilogue.h"
#include "phi/kernels/reference/conv/quantize_int8.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kConv2dInt8Spec =
    KernelSpec<S>()
        .Input(S::kInput, AnyStrides())
        .Input(S::kFilter, AnyStrides())
        .Inputs({S::kMultiplier, S::kBias, S::kResidual, S::kOutFactor},
                WithAnyStrides(Fixed(DataType::kFloat32)))
        .Output(S::kOut,
                OneOf(DataTypeSet(DataType::kFloat32, DataType::kInt8)));
template <typename T>
absl::Status Conv2dInt8Kernel(
    const ReferenceContext&, const DenseTensor& input,
    const DenseTensor& filter, const DenseTensor& multiplier,
    const DenseTensor* bias, const DenseTensor* residual,
    const DenseTensor* out_factor, absl::Span<const int> strides,
    absl::Span<const int> paddings, std::string_view padding_algorithm,
    absl::Span<const int> dilations, int groups, std::string_view activation,
    float alpha, float beta, DenseTensor* out) {
  const ConvTerms terms(input, filter, *out, strides, paddings,
                        padding_algorithm, dilations, groups, "NCHW");
  const auto inputs = Widened<T>(input), filters = Widened<T>(filter);
  std::vector<int64_t> sums(out->numel());
  terms.ForEach([&](int64_t o, int64_t i, int64_t f) {
    sums[o] += static_cast<int64_t>(inputs[i] * filters[f]);
  });
  const int64_t channels = out->extent(1);
  const int64_t plane = out->extent(2) * out->extent(3);
  for (int64_t i = 0; i < out->numel(); ++i) {
    const int64_t channel = i / plane % channels;
    double x = static_cast<double>(sums[i]) * At<float>(multiplier, channel);
    if (bias != nullptr) x += At<float>(*bias, channel);
    if (residual != nullptr) x += At<float>(*residual, i);
    x = ReferenceActivation(activation, x, alpha, beta);
    if (out_factor == nullptr) {
      out->mutable_data<float>()[i] = static_cast<float>(x);
    } else {
      out->mutable_data<int8_t>()[i] =
          ToInt8(static_cast<float>(x * At<float>(*out_factor, 0)));
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_INT8_H_

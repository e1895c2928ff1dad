// SPDX-License-Identifier: Apache-2.0
// The reference kernel of conv2d_int8: exact sums in integers, then each step
// of the definition in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_INT8_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_INT8_H_

#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv2d_int8.args.gen.h"
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
absl::Status Conv2dInt8Kernel(const ReferenceContext&,
                              const Conv2dInt8Args& args) {
  const ConvTerms terms(args.input, args.filter, *args.out, args.strides,
                        args.paddings, args.padding_algorithm, args.dilations,
                        args.groups, "NCHW");
  const auto inputs = Widened<T>(args.input), filters = Widened<T>(args.filter);
  std::vector<int64_t> sums(args.out->numel());
  terms.ForEach([&](int64_t o, int64_t i, int64_t f) {
    sums[o] += static_cast<int64_t>(inputs[i] * filters[f]);
  });
  const int64_t channels = args.out->extent(1);
  const int64_t plane = args.out->extent(2) * args.out->extent(3);
  for (int64_t i = 0; i < args.out->numel(); ++i) {
    const int64_t channel = i / plane % channels;
    double x =
        static_cast<double>(sums[i]) * At<float>(args.multiplier, channel);
    if (args.bias != nullptr) x += At<float>(*args.bias, channel);
    if (args.residual != nullptr) x += At<float>(*args.residual, i);
    x = ReferencePostOps(args.post_ops, x);
    if (args.out_factor == nullptr) {
      args.out->mutable_data<float>()[i] = static_cast<float>(x);
    } else {
      args.out->mutable_data<int8_t>()[i] =
          ToInt8(static_cast<float>(x * At<float>(*args.out_factor, 0)));
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_INT8_H_

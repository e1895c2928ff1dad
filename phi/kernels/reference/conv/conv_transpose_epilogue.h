// SPDX-License-Identifier: Apache-2.0
// The reference kernel of conv2d_transpose_epilogue, in double: sums as
// conv_transpose.h's, then each step of the definition.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_TRANSPOSE_EPILOGUE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_TRANSPOSE_EPILOGUE_H_

#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/conv/conv_epilogue.h"
#include "phi/kernels/reference/conv/conv_transpose.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kConv2dTransposeEpilogueSpec =
    KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Conv2dTransposeEpilogueKernel(
    const ReferenceContext&, const DenseTensor& x, const DenseTensor& filter,
    const DenseTensor* bias, absl::Span<const int> strides,
    absl::Span<const int> paddings, std::string_view padding_algorithm,
    int groups, absl::Span<const int> dilations, std::string_view activation,
    float alpha, float beta, DenseTensor* out) {
  const ConvTransposeTerms terms(x, filter, *out, strides, paddings,
                                 padding_algorithm, groups, dilations, "NCHW");
  std::vector<double> sums(out->numel());
  terms.ForEach([&](const Index& i, const Index& f, const Index& o) {
    sums[Ravel(out->shape(), o)] += double{At<T>(x, i)} * At<T>(filter, f);
  });
  const int64_t channels = out->extent(1);
  const int64_t plane = out->extent(2) * out->extent(3);
  for (int64_t i = 0; i < out->numel(); ++i) {
    double sum = sums[i];
    if (bias != nullptr) sum += At<T>(*bias, i / plane % channels);
    out->mutable_data<T>()[i] =
        static_cast<T>(ReferenceActivation(activation, sum, alpha, beta));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_TRANSPOSE_EPILOGUE_H_

// SPDX-License-Identifier: Apache-2.0
// The reference kernel of conv2d_transpose_epilogue, in double: sums as
// conv_transpose.h's, then each step of the definition.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_TRANSPOSE_EPILOGUE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_TRANSPOSE_EPILOGUE_H_

#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv2d_transpose_epilogue.args.gen.h"
#include "phi/kernels/reference/conv/conv_epilogue.h"
#include "phi/kernels/reference/conv/conv_transpose.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kConv2dTransposeEpilogueSpec =
    KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Conv2dTransposeEpilogueKernel(
    const ReferenceContext&, const Conv2dTransposeEpilogueArgs& args) {
  const ConvTransposeTerms terms(args.x, args.filter, *args.out, args.strides,
                                 args.paddings, args.padding_algorithm,
                                 args.groups, args.dilations, "NCHW");
  std::vector<double> sums(args.out->numel());
  terms.ForEach([&](const Index& i, const Index& f, const Index& o) {
    sums[Ravel(args.out->shape(), o)] +=
        double{At<T>(args.x, i)} * At<T>(args.filter, f);
  });
  const int64_t channels = args.out->extent(1);
  const int64_t plane = args.out->extent(2) * args.out->extent(3);
  for (int64_t i = 0; i < args.out->numel(); ++i) {
    double sum = sums[i];
    if (args.bias != nullptr) sum += At<T>(*args.bias, i / plane % channels);
    args.out->mutable_data<T>()[i] =
        static_cast<T>(ReferencePostOps(args.post_ops, sum));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_TRANSPOSE_EPILOGUE_H_

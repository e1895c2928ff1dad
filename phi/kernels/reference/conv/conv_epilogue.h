// SPDX-License-Identifier: Apache-2.0
// The reference kernel of conv2d_epilogue, in double: sums as conv.h's, then
// each step of the definition.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_EPILOGUE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_EPILOGUE_H_

#include <algorithm>
#include <cmath>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/post_ops.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv2d_epilogue.args.gen.h"
#include "phi/kernels/reference/conv/conv.h"

namespace switchyard::phi::kernels::reference {

// A function of x.
inline double ReferencePostOp(PostOp step, double x) {
  const double alpha = step.alpha, beta = step.beta;
  switch (step.kind) {
#define SY_POST_OP(enumerator, name, numbers, scalar, reference, ...) \
  case PostOpKind::k##enumerator:                                     \
    return reference;
#include "framework/types/post_ops.def"
#undef SY_POST_OP
  }
  return x;
}

// All of them, one after the other.
inline double ReferencePostOps(PostOps ops, double x) {
  for (const PostOp& step : ops.steps()) x = ReferencePostOp(step, x);
  return x;
}

template <typename S>
inline constexpr auto kConv2dEpilogueSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status Conv2dEpilogueKernel(const ReferenceContext&,
                                  const Conv2dEpilogueArgs& args) {
  const ConvTerms terms(args.input, args.filter, *args.out, args.strides,
                        args.paddings, args.padding_algorithm, args.dilations,
                        args.groups, "NCHW");
  const auto inputs = Widened<T>(args.input), filters = Widened<T>(args.filter);
  std::vector<double> sums(args.out->numel());
  terms.ForEach([&](int64_t o, int64_t i, int64_t f) {
    sums[o] += inputs[i] * filters[f];
  });
  const int64_t channels = args.out->extent(1);
  const int64_t plane = args.out->extent(2) * args.out->extent(3);
  for (int64_t i = 0; i < args.out->numel(); ++i) {
    double x = sums[i];
    if (args.bias != nullptr) x += At<T>(*args.bias, i / plane % channels);
    if (args.residual != nullptr) x += At<T>(*args.residual, i);
    x = ReferencePostOps(args.post_ops, x);
    if (args.out_scale != nullptr) x *= At<T>(*args.out_scale, 0);
    if (args.out_shift != nullptr) x += At<T>(*args.out_shift, 0);
    args.out->mutable_data<T>()[i] = static_cast<T>(x);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_CONV_EPILOGUE_H_

// SPDX-License-Identifier: Apache-2.0
// conv2d_epilogue on the CPU: conv2d's kernel, then the rest in one pass over
// what it wrote. Where oneDNN applies it does both at once
// (phi/kernels/onednn/conv_epilogue.h).
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_EPILOGUE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_EPILOGUE_H_

#include <algorithm>
#include <cmath>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/post_ops.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/conv2d_epilogue.args.gen.h"
#include "phi/kernels/cpu/conv/conv.h"
#include "phi/kernels/cpu/conversion/in_float.h"

namespace switchyard::phi::kernels::cpu {

// A function with its numbers.
template <typename T>
class ConvPostOp {
 public:
  explicit ConvPostOp(PostOp step)
      : kind_(step.kind),
        alpha_(static_cast<T>(step.alpha)),
        beta_(static_cast<T>(step.beta)) {}

  T operator()(T x) const {
    const T zero(0), one(1), six(6);
    const T &alpha = alpha_, &beta = beta_;
    switch (kind_) {
#define SY_POST_OP(enumerator, name, numbers, scalar, ...) \
  case PostOpKind::k##enumerator:                          \
    return scalar;
#include "framework/types/post_ops.def"
#undef SY_POST_OP
    }
    return x;
  }

 private:
  PostOpKind kind_;
  T alpha_, beta_;
};

template <typename S>
inline constexpr auto kConv2dEpilogueSpec =
    KernelSpec<S>().When(PostOpsAmong(S::kPostOps, PostOpKinds::All(), 1));
template <typename T>
absl::Status Conv2dEpilogueOf(const CpuContext& context,
                              const Conv2dEpilogueArgs& args) {
  SY_RETURN_IF_ERROR(Conv2dOf<T>(
      context,
      {args.input, args.filter, args.strides, args.paddings,
       args.padding_algorithm, args.dilations, args.groups, "NCHW", args.out}));
  const ConvPostOp<T> activate(args.post_ops.only());
  const int64_t channels = args.out->extent(1);
  const int64_t plane = args.out->extent(2) * args.out->extent(3);
  const T* const biases = args.bias == nullptr ? nullptr : args.bias->data<T>();
  const T* const added =
      args.residual == nullptr ? nullptr : args.residual->data<T>();
  const T scale =
      args.out_scale == nullptr ? T(1) : args.out_scale->data<T>()[0];
  const T shift =
      args.out_shift == nullptr ? T(0) : args.out_shift->data<T>()[0];
  T* const sums = args.out->mutable_data<T>();
  constexpr int64_t kElementsOfAChunk = 1 << 14;
  ParallelFor(0, args.out->extent(0) * channels,
              std::max<int64_t>(1, kElementsOfAChunk / (plane + 1)),
              [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                  const T offset =
                      biases == nullptr ? T(0) : biases[row % channels];
                  for (int64_t i = row * plane; i < (row + 1) * plane; ++i) {
                    T x = sums[i] + offset;
                    if (added != nullptr) x += added[i];
                    sums[i] = activate(x) * scale + shift;
                  }
                }
              });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto Conv2dEpilogueKernel =
    KernelInFloat<T, &Conv2dEpilogueOf<FloatFor<T>>>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_EPILOGUE_H_

// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of sequence_softmax and its gradient on the CPU.
#include <algorithm>
#include <cmath>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_softmax.gen.h"
#include "phi/core/signatures/sequence_softmax_grad.gen.h"
#include "phi/fluid/lanes.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_softmax.gen.h"
#include "phi/legacy/sequence_softmax_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// Out = exp(X - max) / sum(exp(X - max)) over each sequence of X, [rows] or
// [rows, 1].
template <typename T>
class SequenceSoftmaxCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    SY_RETURN_IF_ERROR(context.Allocate("Out", x.dtype(), x.shape()));
    const T* from = x.data<T>();
    T* to = context.Output("Out")->template mutable_data<T>();
    const Offsets& offsets = lod->offsets.back();
    for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
      const int64_t begin = offsets[i], end = offsets[i + 1];
      if (begin == end) continue;
      const T greatest = *std::max_element(from + begin, from + end);
      for (int64_t j = begin; j < end; ++j) {
        to[j] = std::exp(from[j] - greatest);
      }
      const T sum =
          SumByHalves<T>(begin, end, [&](int64_t j) { return to[j]; });
      for (int64_t j = begin; j < end; ++j) to[j] /= sum;
    }
    context.ShareLod("X", "Out");
    return absl::OkStatus();
  }
};

// X@GRAD = (Out@GRAD - sum(Out@GRAD * Out)) * Out over each sequence of X.
template <typename T>
class SequenceSoftmaxGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    DenseTensor* x_grad = context.Output("X@GRAD");
    if (x_grad == nullptr) return absl::OkStatus();
    const T* y = context.Input("Out")->data<T>();
    const T* dy = context.Input("Out@GRAD")->data<T>();
    T* dx = x_grad->template mutable_data<T>();
    const Offsets& offsets = lod->offsets.back();
    for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
      const T dot = SumByHalves<T>(offsets[i], offsets[i + 1],
                                   [&](int64_t j) { return dy[j] * y[j]; });
      for (int64_t j = offsets[i]; j < offsets[i + 1]; ++j) {
        dx[j] = (dy[j] - dot) * y[j];
      }
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequenceSoftmaxSpec =
    KernelSpec<SequenceSoftmaxSignature>().Output(
        SequenceSoftmaxSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(sequence_softmax, cpu, fluid::SequenceSoftmaxCpuKernel,
                         legacy_sequence_softmax, kSequenceSoftmaxSpec, float32,
                         float64);

constexpr auto kSequenceSoftmaxGradSpec =
    KernelSpec<SequenceSoftmaxGradSignature>();
SY_REGISTER_FLUID_KERNEL(sequence_softmax_grad, cpu,
                         fluid::SequenceSoftmaxGradCpuKernel,
                         legacy_sequence_softmax_grad, kSequenceSoftmaxGradSpec,
                         float32, float64);

}  // namespace switchyard::phi

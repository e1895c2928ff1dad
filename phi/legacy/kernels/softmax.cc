// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of softmax on the CPU. Its twin is phi/kernels/cpu's;
// how the two compare: docs/parity.md.
#include <algorithm>
#include <cmath>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/softmax.gen.h"
#include "phi/legacy/forms/softmax.gen.h"
#include "phi/legacy/kernels/lanes.h"
#include "phi/legacy/kernels/register_legacy_kernel.h"
#include "phi/legacy/kernels/softmax_operator.h"

namespace switchyard::phi {
namespace fluid {

// Elements that are worth a thread.
constexpr int64_t kGrain = 8192;

// Out = exp(X - max) / sum(exp(X - max)) along `axis`; any shape.
template <typename T>
class SoftmaxCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const int axis, context.Attr<int>("axis"));
    SY_ASSIGN_OR_RETURN(const Lanes lanes, MakeLanes(x.shape(), axis));
    if (x.numel() == 0) return absl::OkStatus();
    const T* from = x.data<T>();
    T* to = context.Output("Out")->template mutable_data<T>();
    ParallelFor(0, lanes.count, kGrain / lanes.length,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const int64_t at = lanes.begin(i);
                    OneLane(from + at, lanes, to + at);
                  }
                });
    return absl::OkStatus();
  }

 private:
  static void OneLane(const T* x, const Lanes& lanes, T* out) {
    T greatest = x[0];
    for (int64_t j = 1; j < lanes.length; ++j) {
      greatest = std::max(greatest, x[j * lanes.stride]);
    }
    for (int64_t j = 0; j < lanes.length; ++j) {
      out[j * lanes.stride] = std::exp(x[j * lanes.stride] - greatest);
    }
    const T sum = SumByHalves<T>(
        0, lanes.length, [&](int64_t j) { return out[j * lanes.stride]; });
    for (int64_t j = 0; j < lanes.length; ++j) out[j * lanes.stride] /= sum;
  }
};

}  // namespace fluid

constexpr fluid::OperatorSpec<fluid::SoftmaxOperator> kSpec(
    KernelSpec<SoftmaxSignature>{});
SY_REGISTER_LEGACY_KERNEL(softmax, cpu, fluid::SoftmaxCpuKernel, legacy_softmax,
                          kSpec, float32, float64);

}  // namespace switchyard::phi

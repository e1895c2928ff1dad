// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of softmax_grad on the CPU. Its twin is
// phi/kernels/cpu's; how the two compare: docs/parity.md.
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "phi/core/signatures/softmax_grad.gen.h"
#include "phi/legacy/forms/softmax_grad.gen.h"
#include "phi/legacy/kernels/lanes.h"
#include "phi/legacy/kernels/register_legacy_kernel.h"

namespace switchyard::phi {
namespace fluid {

// Elements that are worth a thread.
constexpr int64_t kGrain = 32768;

// X@GRAD = (Out@GRAD - sum(Out@GRAD * Out)) * Out along `axis`; all of one
// shape.
template <typename T>
class SoftmaxGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& out = *context.Input("Out");
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    DenseTensor* x_grad = context.Output("X@GRAD");
    SY_ASSIGN_OR_RETURN(const int axis, context.Attr<int>("axis"));
    SY_ASSIGN_OR_RETURN(const Lanes lanes, MakeLanes(out.shape(), axis));
    if (x_grad == nullptr || out.numel() == 0) return absl::OkStatus();
    const T* y = out.data<T>();
    const T* dy = out_grad.data<T>();
    T* dx = x_grad->template mutable_data<T>();
    ParallelFor(0, lanes.count, kGrain / lanes.length,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    const int64_t at = lanes.begin(i);
                    OneLane(y + at, dy + at, lanes, dx + at);
                  }
                });
    return absl::OkStatus();
  }

 private:
  static void OneLane(const T* y, const T* dy, const Lanes& lanes, T* dx) {
    const T dot = SumByHalves<T>(0, lanes.length, [&](int64_t j) {
      return dy[j * lanes.stride] * y[j * lanes.stride];
    });
    for (int64_t j = 0; j < lanes.length; ++j) {
      const int64_t at = j * lanes.stride;
      dx[at] = (dy[at] - dot) * y[at];
    }
  }
};

}  // namespace fluid

constexpr auto kSpec = KernelSpec<SoftmaxGradSignature>();
SY_REGISTER_LEGACY_KERNEL(softmax_grad, cpu, fluid::SoftmaxGradCpuKernel,
                          legacy_softmax_grad, kSpec, float32, float64);

}  // namespace switchyard::phi

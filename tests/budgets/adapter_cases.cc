// SPDX-License-Identifier: Apache-2.0
#include "tests/budgets/adapter_cases.h"

#include "framework/base/op_error.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_thunk.h"
#include "phi/core/signatures/softmax.gen.h"
#include "phi/legacy/forms/softmax.gen.h"
#include "phi/legacy/kernels/register_legacy_kernel.h"

namespace switchyard {
namespace {

constexpr int kLaunches = 100;

// All that both kernels compute: out[0] = x[0] + axis.
void AddAxis(const DenseTensor& x, int axis, DenseTensor* out) {
  out->mutable_data<float>()[0] = x.data<float>()[0] + static_cast<float>(axis);
}

absl::Status Functional(const CpuContext&, const DenseTensor& x, int axis,
                        DenseTensor* out) {
  AddAxis(x, axis, out);
  return absl::OkStatus();
}

template <typename T>
class Adapted final : public phi::fluid::OpKernel<T> {
 public:
  absl::Status Compute(
      const phi::fluid::ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const int axis, context.Attr<int>("axis"));
    AddAxis(*context.Input("X"), axis, context.Output("Out"));
    return absl::OkStatus();
  }
};

CallCase Launches(const char* name, phi::KernelThunk thunk) {
  const DenseTensor x = MakeTensor<float>({1}, {1});
  DenseTensor out = MakeTensor<float>({1}, {0});
  return {name, kLaunches, [x, out, thunk]() mutable {
            const TensorBase* const inputs[] = {&x};
            TensorBase* const outputs[] = {&out};
            const AttrRef attrs[] = {AttrRef(-1)};
            phi::KernelContext call(backend_cpu.contexts->current(Place::Cpu()),
                                    {inputs, attrs, outputs});
            for (int i = 0; i < kLaunches; ++i) ThrowIfError(thunk(call));
          }};
}

}  // namespace

std::vector<CallCase> AdapterCases() {
  return {Launches("launch_functional",
                   &phi::KernelThunkFor<&Functional, CpuContext,
                                        phi::SoftmaxSignature>::Thunk),
          Launches("launch_adapted",
                   &phi::fluid::ClassKernel<Adapted<float>,
                                            phi::legacy_softmax>::Thunk)};
}

}  // namespace switchyard

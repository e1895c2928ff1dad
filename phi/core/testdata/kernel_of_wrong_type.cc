// SPDX-License-Identifier: Apache-2.0
// Compiled by register_kernel_negative_test.sh: the kernel's second parameter
// after the context is of type AXIS, where the YAML entry says `int axis`.
#include "phi/core/register_kernel.h"

namespace switchyard {

class FakeContext : public DeviceContext {
 public:
  static const ContextProvider kContexts;
};

extern const BackendInfo backend_cpu;

namespace phi {

struct SoftmaxSignature {
  static constexpr const char* kOp = "softmax";
  using Function = absl::Status(const DeviceContext&, const DenseTensor& x,
                                int axis, DenseTensor* out);
  static constexpr Param kParams[] = {{Param::Kind::kInput, 0},
                                      {Param::Kind::kAttr, 0},
                                      {Param::Kind::kOutput, 0}};
  static constexpr int kNumInputs = 1;
  static constexpr int kNumOutputs = 1;
  static constexpr std::array<TensorKind, 1> kInputKinds = {};
  static constexpr std::array<TensorKind, 1> kOutputKinds = {};
};

namespace kernels::cpu {

template <typename S>
inline constexpr auto kSoftmaxSpec = KernelSpec<S>();
template <typename T>
absl::Status SoftmaxKernel(const FakeContext&, const DenseTensor&, AXIS EXTRA,
                           DenseTensor*) {
  return absl::OkStatus();
}

}  // namespace kernels::cpu

SY_REGISTER_KERNEL(softmax, Softmax, cpu, FakeContext, float32);

}  // namespace phi
}  // namespace switchyard

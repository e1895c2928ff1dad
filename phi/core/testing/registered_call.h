// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of registered kernels: a backend with contexts that do
// nothing, the signature of an operator with every kind of argument, and a call
// by a kernel's thunk. A test includes it once, and registers its kernels on
// backend `cpu`.
#ifndef SWITCHYARD_PHI_CORE_TESTING_REGISTERED_CALL_H_
#define SWITCHYARD_PHI_CORE_TESTING_REGISTERED_CALL_H_

#include <array>

#include "framework/device/cpu/cpu_device.h"
#include "phi/core/kernel_thunk.h"

namespace switchyard {

class FakeContext : public DeviceContext {
 public:
  FakeContext() : DeviceContext(Place::Cpu(), nullptr) {}
  static const ContextProvider kContexts;
};

inline const ContextProvider FakeContext::kContexts = {};
inline constexpr BackendInfo backend_cpu = {"cpu", &device_cpu, 100, true,
                                            &FakeContext::kContexts};

namespace phi {

// As ops_gen writes it, for an operator with `{param: [factor, x]}`.
struct MixedSignature {
  static constexpr const char* kOp = "mixed";
  using Function = absl::Status(const DeviceContext&, double factor,
                                const DenseTensor& x, DenseList more,
                                DenseTensor* out, DenseOutputs rest);
  static constexpr Param kParams[] = {{Param::Kind::kAttr, 0},
                                      {Param::Kind::kInput, 0},
                                      {Param::Kind::kInput, 1},
                                      {Param::Kind::kOutput, 0},
                                      {Param::Kind::kOutput, 1}};
  static constexpr int kNumInputs = 2;
  static constexpr int kNumOutputs = 2;
  static constexpr std::array<TensorKind, 2> kInputKinds = {};
  static constexpr std::array<TensorKind, 2> kOutputKinds = {};
  static constexpr int kX = 0;
  static constexpr int kMore = 1;
};

// The arguments with which a kernel of that signature was launched.
struct Launched {
  double factor;
  const DenseTensor* x;
  size_t more;
  DenseTensor* out;
  size_t rest;
};

// Launches `kernel` with x[0] as x and the other two as `more`.
inline absl::Status LaunchMixed(const KernelDef& kernel, double factor,
                                const DenseTensor (&x)[3], DenseTensor* out,
                                DenseTensor* rest) {
  const FakeContext context;
  const TensorBase* inputs[] = {&x[0], &x[1], &x[2]};
  TensorBase* outputs[] = {out, rest};
  const uint16_t begins[] = {0, 1, 3};
  const AttrRef attrs[] = {factor};
  KernelContext call(context,
                     {{inputs, ArgSegments(begins, 2)}, attrs, outputs});
  return kernel.thunk(call);
}

}  // namespace phi
}  // namespace switchyard

#endif  // SWITCHYARD_PHI_CORE_TESTING_REGISTERED_CALL_H_

// SPDX-License-Identifier: Apache-2.0
#include "phi/core/kernel_args.h"

#include <gtest/gtest.h>

#include "framework/device/cpu/cpu_device.h"
#include "phi/core/register_kernel.h"

namespace switchyard {

class FakeContext : public DeviceContext {
 public:
  FakeContext() : DeviceContext(Place::Cpu(), nullptr) {}
  static const ContextProvider kContexts;
};

const ContextProvider FakeContext::kContexts = {};
constexpr BackendInfo backend_cpu = {"cpu", &device_cpu, 100, true,
                                     &FakeContext::kContexts};

namespace phi {

// As ops_gen writes both, for `combine: {param: [factor, x]}`.
struct CombineSignature {
  static constexpr const char* kOp = "combine";
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
};

struct CombineArgs {
  double factor;
  const DenseTensor& x;
  DenseList more;
  DenseTensor* out;
  DenseOutputs rest;

  using Types = KernelArgTypes<double, const DenseTensor&, DenseList,
                               DenseTensor*, DenseOutputs>;
  template <typename F>
  auto Apply(F f) const {
    return f(factor, x, more, out, rest);
  }
};

// The arguments of the last launch.
struct Launched {
  double factor;
  const DenseTensor* x;
  size_t more;
  DenseTensor* out;
  size_t rest;
} launched;

namespace kernels::cpu {

template <typename S>
inline constexpr auto kCombineSpec = KernelSpec<S>();
template <typename T>
absl::Status CombineKernel(const FakeContext&, const CombineArgs& args) {
  launched = {args.factor, &args.x, args.more.size(), args.out,
              args.rest.size()};
  return args.factor < 0 ? absl::InternalError("below 0") : absl::OkStatus();
}

}  // namespace kernels::cpu

SY_REGISTER_KERNEL(combine, Combine, cpu, FakeContext, float32);

namespace {

absl::Status Launch(double factor, const DenseTensor (&x)[3], DenseTensor* out,
                    DenseTensor* rest) {
  const FakeContext context;
  const TensorBase* inputs[] = {&x[0], &x[1], &x[2]};
  TensorBase* outputs[] = {out, rest};
  const uint16_t begins[] = {0, 1, 3};
  const AttrRef attrs[] = {factor};
  KernelContext call(context,
                     {{inputs, ArgSegments(begins, 2)}, attrs, outputs});
  return kernel_combine_cpu_float32.thunk(call);
}

TEST(KernelArgs, TheThunkFillsTheStructByTheSignature) {
  DenseTensor x[3], out, rest;
  ASSERT_TRUE(Launch(2.5, x, &out, &rest).ok());
  EXPECT_EQ(launched.factor, 2.5);
  EXPECT_EQ(launched.x, &x[0]);
  EXPECT_EQ(launched.more, 2u);
  EXPECT_EQ(launched.out, &out);
  EXPECT_EQ(launched.rest, 1u);
}

TEST(KernelArgs, TheKernelsStatusComesBack) {
  DenseTensor x[3], rest;
  EXPECT_EQ(Launch(-1, x, nullptr, &rest).message(), "below 0");
  EXPECT_EQ(launched.out, nullptr);
}

TEST(KernelArgs, SaysWhichStructAKernelTakes) {
  using Kernel = decltype(&kernels::cpu::CombineKernel<float>);
  EXPECT_TRUE(KernelArgsTraits<Kernel>::kTakesStruct);
  EXPECT_TRUE((std::is_same_v<KernelArgsTraits<Kernel>::Args, CombineArgs>));
  using Other =
      absl::Status (*)(const FakeContext&, const DenseTensor&, DenseTensor*);
  EXPECT_FALSE(KernelArgsTraits<Other>::kTakesStruct);
}

}  // namespace
}  // namespace phi
}  // namespace switchyard

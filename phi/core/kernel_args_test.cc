// SPDX-License-Identifier: Apache-2.0
#include "phi/core/kernel_args.h"

#include <gtest/gtest.h>

#include "phi/core/register_kernel.h"
#include "phi/core/testing/registered_call.h"

namespace switchyard {
namespace phi {

struct MixedArgs {
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

Launched launched;  // The last launch.

namespace kernels::cpu {

template <typename S>
inline constexpr auto kMixedSpec = KernelSpec<S>();
template <typename T>
absl::Status MixedKernel(const FakeContext&, const MixedArgs& args) {
  launched = {args.factor, &args.x, args.more.size(), args.out,
              args.rest.size()};
  return args.factor < 0 ? absl::InternalError("below 0") : absl::OkStatus();
}

}  // namespace kernels::cpu

SY_REGISTER_KERNEL(mixed, Mixed, cpu, FakeContext, float32);

namespace {

absl::Status Launch(double factor, const DenseTensor (&x)[3], DenseTensor* out,
                    DenseTensor* rest) {
  return LaunchMixed(kernel_mixed_cpu_float32, factor, x, out, rest);
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
  using Kernel = decltype(&kernels::cpu::MixedKernel<float>);
  EXPECT_TRUE(KernelArgsTraits<Kernel>::kTakesStruct);
  EXPECT_TRUE((std::is_same_v<KernelArgsTraits<Kernel>::Args, MixedArgs>));
  using Other =
      absl::Status (*)(const FakeContext&, const DenseTensor&, DenseTensor*);
  EXPECT_FALSE(KernelArgsTraits<Other>::kTakesStruct);
}

}  // namespace
}  // namespace phi
}  // namespace switchyard

// SPDX-License-Identifier: Apache-2.0
// On a machine without a GPU, each kernel says so and writes nothing.
#include "gtest/gtest.h"
#include "phi/kernels/gpu/gpu_cases.h"

namespace switchyard::phi::kernels {
namespace {

TEST(NoGpuTest, KernelsSaySoAndWriteNothing) {
  for (const auto& [backend, call] : GpuCases()) {
    SCOPED_TRACE(call.op);
    const KernelDef* kernel = FindKernel(call, backend);
    ASSERT_NE(kernel, nullptr);
    auto outputs = Outputs(call);
    ASSERT_THAT(outputs, IsOk());
    const auto before = ToVector<float>((*outputs)[0]);
    EXPECT_THAT(Launch(*kernel, call, &*outputs),
                StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_EQ(ToVector<float>((*outputs)[0]), before);
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels

// SPDX-License-Identifier: Apache-2.0
// The kernels of the backend `gpu`, compiled for the host, over a fake driver
// (framework/device/gpu/testing): the same text that nvcc compiles, held
// against the reference kernels on a machine without a GPU.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include "absl/strings/str_split.h"
#include "framework/device/gpu/gpu_context.h"
#include "framework/device/gpu/testing/fake_cuda.h"
#include "gtest/gtest.h"
#include "phi/kernels/gpu/agreement.h"
#include "phi/kernels/gpu/functor_cases.h"
#include "phi/kernels/gpu/own_kernel_cases.h"

namespace switchyard::phi::kernels {
namespace {

class OnHostTest : public testing::Test {
 protected:
  void SetUp() override { FakeCuda::Reset(); }
};

TEST_F(OnHostTest, KernelsAgreeWithTheReferenceOnes) { ExpectAllOfGpuAgree(); }

// `copy`, which goes between places, has a test of its own.
TEST_F(OnHostTest, EveryOperatorHasACase) {
  std::set<std::string> missing =
      absl::StrSplit(std::getenv("GPU_OPERATORS"), ' ');
  for (const auto& [call, tolerance] : FunctorCases()) {
    missing.erase(std::string(call.op));
  }
  for (const auto& [call, tolerance] : OwnKernelCases()) {
    missing.erase(std::string(call.op));
  }
  EXPECT_EQ(missing, std::set<std::string>{"copy"});
}

TEST_F(OnHostTest, CopiesAcrossPlaces) {
  const KernelCase call = {
      "copy", {RandomTensor<float>(Shape({5, 3}))}, {Place::Gpu(0)}};
  auto outputs = Outputs(call);
  ASSERT_THAT(outputs, IsOk());
  std::vector<DenseTensor> results = {Moved((*outputs)[0], Place::Gpu(0))};
  ASSERT_THAT(Launch(*FindKernel(call, "gpu"), call, &results), IsOk());
  EXPECT_TRUE(
      TensorsIdentical(Moved(results[0], Place::Cpu()), call.inputs[0]));
}

// The kernel is chosen for the dtypes that it converts to, and no others.
TEST_F(OnHostTest, CastIsForTheDtypesThatItConvertsTo) {
  int converted = 0;
  for (int number = 1; number < kNumDataTypes; ++number) {
    const auto to = static_cast<DataType>(number);
    if (IsStorage(to)) continue;
    SCOPED_TRACE(Name(to));
    KernelCase call = {"cast", {RandomTensor<float>(Shape({5}))}, {to}};
    auto outputs = Outputs(call);
    ASSERT_THAT(outputs, IsOk());
    const KernelDef& kernel = *FindKernel(call, "gpu");
    const bool listed =
        std::any_of(kernel.conditions.begin(), kernel.conditions.end(),
                    [to](const Condition& condition) {
                      return condition.kind == Condition::Kind::kAttrEquals &&
                             condition.value == static_cast<int64_t>(to);
                    });
    call.inputs[0] = Moved(call.inputs[0], Place::Gpu(0));
    std::vector<DenseTensor> results = {Moved((*outputs)[0], Place::Gpu(0))};
    const bool launched = Launch(kernel, call, &results).ok();
    EXPECT_EQ(listed, launched);
    converted += launched ? 1 : 0;
  }
  EXPECT_EQ(converted, 10);
}

TEST_F(OnHostTest, ALaunchThatIsRefusedNamesTheKernel) {
  const KernelCase call = {"relu", {RandomTensor<float>(Shape({5}))}};
  KernelCase there = call;
  there.inputs[0] = Moved(call.inputs[0], Place::Gpu(0));
  auto outputs = Outputs(call);
  ASSERT_THAT(outputs, IsOk());
  std::vector<DenseTensor> results = {Moved((*outputs)[0], Place::Gpu(0))};
  FakeCuda::FailCall("cudaLaunchKernel", /*cudaErrorLaunchFailure*/ 719);
  EXPECT_THAT(Launch(*FindKernel(call, "gpu"), there, &results),
              StatusIs(absl::StatusCode::kInternal,
                       testing::HasSubstr("kernel launch: unspecified")));
}

}  // namespace
}  // namespace switchyard::phi::kernels

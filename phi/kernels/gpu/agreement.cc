// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/agreement.h"

#include <string>
#include <utility>
#include <vector>

#include "framework/device/transfer.h"
#include "gtest/gtest.h"
#include "phi/kernels/gpu/functor_cases.h"
#include "phi/kernels/gpu/gpu_cases.h"
#include "phi/kernels/gpu/own_kernel_cases.h"

namespace switchyard::phi::kernels {

DenseTensor Moved(const DenseTensor& x, Place place) {
  auto moved = Transferred(x, place);
  EXPECT_THAT(moved, IsOk());
  return moved.ok() ? *std::move(moved) : DenseTensor();
}

void ExpectAgreement(const KernelCase& call, std::string_view backend,
                     Tolerance tolerance) {
  SCOPED_TRACE(std::string(call.op) + " " +
               (call.inputs.empty() ? "" : ToString(call.inputs[0])));
  const KernelDef* const kernel = FindKernel(call, backend);
  ASSERT_NE(kernel, nullptr);
  auto outputs = Outputs(call);
  ASSERT_THAT(outputs, IsOk());
  KernelCase there = call;
  for (DenseTensor& x : there.inputs) x = Moved(x, Place::Gpu(0));
  std::vector<DenseTensor> results = {Moved((*outputs)[0], Place::Gpu(0))};
  ASSERT_THAT(Launch(*kernel, there, &results), IsOk());
  const auto expected = RunKernel(call, "reference");
  ASSERT_THAT(expected, IsOk());
  EXPECT_TRUE(
      TensorsNear(Moved(results[0], Place::Cpu()), (*expected)[0], tolerance));
}

void ExpectAllOfGpuAgree() {
  for (const auto& [call, tolerance] : FunctorCases()) {
    ExpectAgreement(call, "gpu", tolerance);
  }
  for (const auto& [call, tolerance] : OwnKernelCases()) {
    ExpectAgreement(call, "gpu", tolerance);
  }
  for (const auto& [backend, call] : GpuCases()) {
    if (backend == "gpu") ExpectAgreement(call, backend, {1e-4, 1e-5});
  }
}

}  // namespace switchyard::phi::kernels

// SPDX-License-Identifier: Apache-2.0
// GPU kernels against the reference ones.
#include "gtest/gtest.h"
#include "phi/kernels/gpu/agreement.h"
#include "phi/kernels/gpu/gpu_cases.h"

namespace switchyard::phi::kernels {
namespace {

TEST(GpuTest, KernelsAgreeWithTheReferenceOnes) { ExpectAllOfGpuAgree(); }

TEST(GpuTest, KernelsOfLibrariesAgreeWithTheReferenceOnes) {
  for (const auto& [backend, call] : GpuCases()) {
    if (backend != "gpu") ExpectAgreement(call, backend, {1e-4, 1e-5});
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels

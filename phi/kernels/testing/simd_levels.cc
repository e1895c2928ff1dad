// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/testing/simd_levels.h"

#include "hwy/targets.h"

namespace switchyard::phi::kernels {
namespace {

// From now on HWY_DYNAMIC_DISPATCH chooses among `targets` (0: all there are).
void Admit(int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace

void ForEachSimdLevel(absl::FunctionRef<void(const char*)> body) {
  const int64_t supported = hwy::SupportedTargets();
  for (const int64_t target :
       {int64_t{HWY_SSE4}, int64_t{HWY_AVX2}, int64_t{HWY_AVX3}}) {
    if ((supported & target) == 0) continue;
    Admit(target);
    body(hwy::TargetName(target));
  }
  Admit(0);
}

}  // namespace switchyard::phi::kernels

// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_features.h"

namespace switchyard {

bool HasAvx512Bf16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

}  // namespace switchyard

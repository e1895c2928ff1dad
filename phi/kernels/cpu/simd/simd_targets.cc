// SPDX-License-Identifier: Apache-2.0
// Detects this CPU's instruction sets and chooses among them at the first call,
// which Highway's headers leave to its library. Debian has that library as a
// shared one alone, which measures its clock when it is loaded: milliseconds of
// every program's start. So nothing links it.
#include <cpuid.h>

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "hwy/targets.h"

namespace hwy {
namespace {

// The targets to which a test restricts the choice; 0: no restriction.
std::atomic<int64_t> admitted{0};

bool HasF16c() {
  unsigned int eax, ebx, ecx, edx;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

// The builtins ask the operating system too: registers that it does not save
// are as good as absent. What each target needs is in hwy/ops/set_macros-inl.h.
bool HasAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
         HasF16c();
}

bool HasAvx512() {
  return HasAvx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw");
}

int64_t Detect() {
  return HWY_SSE4 | (HasAvx2() ? HWY_AVX2 : 0) | (HasAvx512() ? HWY_AVX3 : 0);
}

}  // namespace

int64_t SupportedTargets() {
  static const int64_t detected = Detect();
  const int64_t targets = admitted.load(std::memory_order_relaxed);
  return targets != 0 ? targets : detected;
}

void SetSupportedTargetsForTest(int64_t targets) {
  admitted.store(targets, std::memory_order_relaxed);
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

// After Highway's own assertions, which clang's sanitizer builds turn on.
void Abort(const char* file, int line, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  std::fprintf(stderr, "%s:%d: ", file, line);
  std::vfprintf(stderr, format, values);
  std::fputc('\n', stderr);
  va_end(values);
  std::abort();
}

}  // namespace hwy

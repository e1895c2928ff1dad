// SPDX-License-Identifier: Apache-2.0
// Size arithmetic that notices when a result leaves int64. Sizes that come from
// outside (shapes, attributes, files) are multiplied and added here and nowhere
// else. Arithmetic on Dims, which may be unknown, is in framework/types/dim.h.
#ifndef SWITCHYARD_FRAMEWORK_BASE_CHECKED_MATH_H_
#define SWITCHYARD_FRAMEWORK_BASE_CHECKED_MATH_H_

#include <cstdint>
#include <optional>

namespace switchyard {

// a * b; nullopt where it leaves int64.
constexpr std::optional<int64_t> CheckedMultiply(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// a + b; nullopt where it leaves int64.
constexpr std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_BASE_CHECKED_MATH_H_

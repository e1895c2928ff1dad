// SPDX-License-Identifier: Apache-2.0
// Numbers as texts, and back, whatever the process's locale.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_STRINGS_TEXT_NUMBER_H_
#define SWITCHYARD_PHI_KERNELS_CPU_STRINGS_TEXT_NUMBER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "framework/base/status.h"

namespace switchyard::phi::kernels::cpu {

// Return the text of fewest digits that is read as the same number.
std::string TextOfNumber(float value);
std::string TextOfNumber(double value);
std::string TextOfNumber(int64_t value);

// Read the number that a text says as a whole, spaces around it aside. A
// floating number beyond the type is infinite. ArgumentError as of `x` for a
// text that says none.
absl::Status ReadNumber(std::string_view text, float* value);
absl::Status ReadNumber(std::string_view text, double* value);
// ArgumentError for an integer outside of [low, high], too.
absl::Status ReadNumber(std::string_view text, int64_t low, int64_t high,
                        int64_t* value);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_STRINGS_TEXT_NUMBER_H_

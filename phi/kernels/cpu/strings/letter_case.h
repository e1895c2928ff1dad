// SPDX-License-Identifier: Apache-2.0
// The case of letters in one text.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_STRINGS_LETTER_CASE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_STRINGS_LETTER_CASE_H_

#include <string>
#include <string_view>

#include "framework/base/status.h"

namespace switchyard::phi::kernels::cpu {

// The case that letters are given.
enum class LetterCase { kLower, kUpper };

// Returns the text with the letters A to Z, and no other, in this case.
std::string WithAsciiCase(std::string_view text, LetterCase letter_case);

// Returns the UTF-8 text with each character in this case, by Unicode's simple
// mapping (utf8proc has it). ArgumentError as of `x` if the text
// is no UTF-8.
absl::StatusOr<std::string> WithUtf8Case(std::string_view text,
                                         LetterCase letter_case);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_STRINGS_LETTER_CASE_H_

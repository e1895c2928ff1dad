// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/strings/letter_case.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "utf8proc.h"

namespace switchyard::phi::kernels::cpu {

std::string WithAsciiCase(std::string_view text, LetterCase letter_case) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 letter_case == LetterCase::kLower ? absl::ascii_tolower
                                                   : absl::ascii_toupper);
  return result;
}

absl::StatusOr<std::string> WithUtf8Case(std::string_view text,
                                         LetterCase letter_case) {
  const auto* const bytes =
      reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    utf8proc_int32_t character = 0;
    const utf8proc_ssize_t size = utf8proc_iterate(
        bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at),
        &character);
    if (size < 0) {
      return ArgumentError(
          "x", "valid UTF-8",
          absl::StrCat("\"", absl::CHexEscape({text.data(), text.size()}),
                       "\", which is none from byte ", at, " on"));
    }
    at += static_cast<size_t>(size);
    utf8proc_uint8_t encoded[4];
    const utf8proc_ssize_t length = utf8proc_encode_char(
        letter_case == LetterCase::kLower ? utf8proc_tolower(character)
                                          : utf8proc_toupper(character),
        encoded);
    result.append(reinterpret_cast<const char*>(encoded),
                  static_cast<size_t>(length));
  }
  return result;
}

}  // namespace switchyard::phi::kernels::cpu

// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/strings/text_number.h"

#include <charconv>
#include <cmath>
#include <type_traits>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// "1.5e+02" as "150", where the exponent is small. std::to_chars itself writes
// digits of large numbers there that nobody needs to read them again.
std::string WithPoint(const std::string& text) {
  const size_t e = text.find('e');
  int exponent = 0;
  if (!absl::SimpleAtoi(text.substr(e + 1), &exponent) || exponent < -4 ||
      exponent >= 16) {
    return text;
  }
  std::string digits = text.substr(0, 1);
  if (e > 2) digits += text.substr(2, e - 2);
  if (exponent < 0) {
    return absl::StrCat("0.", std::string(-exponent - 1, '0'), digits);
  }
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return digits.append(whole - digits.size(), '0');
  return absl::StrCat(digits.substr(0, whole), ".", digits.substr(whole));
}

template <typename T>
std::string TextOfFloating(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-INF" : "INF";
  char text[64];
  const std::to_chars_result end =
      std::to_chars(text, text + sizeof(text), std::abs(value),
                    std::chars_format::scientific);
  const char* const sign = std::signbit(value) ? "-" : "";
  return absl::StrCat(sign, WithPoint(std::string(text, end.ptr)));
}

absl::Status NoNumber(std::string_view text, std::string_view what) {
  constexpr size_t kShown = 40;
  const std::string shown(text.substr(0, kShown));
  return ArgumentError("x", what,
                       absl::StrCat("'", absl::CHexEscape(shown), "'"));
}

absl::string_view View(std::string_view text) {
  return absl::string_view(text.data(), text.size());
}

// Hexadecimal digits are no number here.
template <typename T>
bool IsDecimal(std::string_view text, T* value) {
  if (text.find_first_of("xX") != std::string_view::npos) return false;
  if constexpr (std::is_same_v<T, float>) {
    return absl::SimpleAtof(View(text), value);
  } else {
    return absl::SimpleAtod(View(text), value);
  }
}

}  // namespace

std::string TextOfNumber(float value) { return TextOfFloating(value); }
std::string TextOfNumber(double value) { return TextOfFloating(value); }
std::string TextOfNumber(int64_t value) { return absl::StrCat(value); }

absl::Status ReadNumber(std::string_view text, float* value) {
  if (IsDecimal(text, value)) return absl::OkStatus();
  return NoNumber(text, "texts of numbers");
}

absl::Status ReadNumber(std::string_view text, double* value) {
  if (IsDecimal(text, value)) return absl::OkStatus();
  return NoNumber(text, "texts of numbers");
}

absl::Status ReadNumber(std::string_view text, int64_t low, int64_t high,
                        int64_t* value) {
  if (absl::SimpleAtoi(View(text), value) && *value >= low && *value <= high) {
    return absl::OkStatus();
  }
  return NoNumber(text,
                  absl::StrCat("texts of integers in [", low, ", ", high, "]"));
}

}  // namespace switchyard::phi::kernels::cpu

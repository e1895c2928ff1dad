// SPDX-License-Identifier: Apache-2.0
#include "framework/base/float_text.h"

#include <charconv>
#include <cmath>

namespace switchyard {
namespace {

template <typename T>
std::string Text(T value) {
  // The sign of a NaN says nothing.
  if (std::isnan(value)) return "nan";
  char digits[32];
  const std::to_chars_result end =
      std::to_chars(digits, digits + sizeof(digits), value);
  std::string text(digits, end.ptr);
  const bool whole = text.find_first_of(".ein") == std::string::npos;
  return whole ? text + ".0" : text;
}

template <typename T>
std::string PairText(std::complex<T> value) {
  return "complex(" + Text(value.real()) + ", " + Text(value.imag()) + ")";
}

}  // namespace

std::string ShortestText(float value) { return Text(value); }
std::string ShortestText(double value) { return Text(value); }
std::string ComplexText(std::complex<float> value) { return PairText(value); }
std::string ComplexText(std::complex<double> value) { return PairText(value); }

}  // namespace switchyard

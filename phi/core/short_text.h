// SPDX-License-Identifier: Apache-2.0
// Short texts as numbers, so that a Condition (phi/core/condition.h) can ask
// for the value of a text attribute and stay constant data of one size:
// AttrEquals(Pool2dSignature::kPoolingType, ShortText("avg")).
#ifndef SWITCHYARD_PHI_CORE_SHORT_TEXT_H_
#define SWITCHYARD_PHI_CORE_SHORT_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace switchyard::phi {

// Returns the number that stands for a text of at most eight characters.
template <size_t size>
constexpr int64_t ShortText(const char (&text)[size]) {
  static_assert(size <= sizeof(int64_t) + 1, "The text is too long.");
  uint64_t packed = 0;
  for (size_t i = 0; i + 1 < size; ++i) {
    packed |= uint64_t{static_cast<uint8_t>(text[i])} << (8 * i);
  }
  return static_cast<int64_t>(packed);
}

// Returns the text that a number stands for.
inline std::string MakeShortText(int64_t number) {
  std::string text;
  for (auto rest = static_cast<uint64_t>(number); rest != 0; rest >>= 8) {
    text += static_cast<char>(rest & 0xff);
  }
  return text;
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_SHORT_TEXT_H_

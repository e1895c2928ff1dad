// SPDX-License-Identifier: Apache-2.0
// IsIdentifier: the rule for names that plugins bring.
#ifndef SWITCHYARD_PHI_CAPI_IDENTIFIER_H_
#define SWITCHYARD_PHI_CAPI_IDENTIFIER_H_

#include <algorithm>
#include <string_view>

namespace switchyard::phi::capi {

// Returns true for letters of ASCII, digits and "_", no digit in front.
inline bool IsIdentifier(std::string_view text) {
  const auto fits = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  };
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         std::all_of(text.begin(), text.end(), fits);
}

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_IDENTIFIER_H_

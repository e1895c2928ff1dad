// SPDX-License-Identifier: Apache-2.0
// Alternatives: the list of accepted values in an error. Private to
// phi/selection.
#ifndef SWITCHYARD_PHI_SELECTION_ALTERNATIVES_H_
#define SWITCHYARD_PHI_SELECTION_ALTERNATIVES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::phi::selection {

// Returns "int8", "int8 or int32", "int8, int32 or int64"; "" for no words.
inline std::string Alternatives(const std::vector<std::string_view>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += words[i];
  }
  return text;
}

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_ALTERNATIVES_H_

// SPDX-License-Identifier: Apache-2.0
// Quoted: texts in messages.
#ifndef SWITCHYARD_FRAMEWORK_BASE_QUOTED_H_
#define SWITCHYARD_FRAMEWORK_BASE_QUOTED_H_

#include <string>
#include <string_view>

namespace switchyard {

// Returns the text in quotation marks, as it is: an error shows so what it got
// for an attribute of type str.
inline std::string Quoted(std::string_view text) {
  return std::string("\"").append(text).append("\"");
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_BASE_QUOTED_H_

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/identifier.h"

namespace switchyard::static_graph::ir {

std::string Quote(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += "\\x";
      quoted += kHex[byte >> 4];
      quoted += kHex[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string IdentifierOrQuoted(std::string_view name) {
  return IsIdentifier(name) ? std::string(name) : Quote(name);
}

}  // namespace switchyard::static_graph::ir

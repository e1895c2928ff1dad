// SPDX-License-Identifier: Apache-2.0
// Any text is a family of operators or an error that names the file and a line.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "ops_gen/parser/family_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto family = switchyard::ops_gen::ParseFamily("f.yaml", text);
  if (family.ok()) return 0;
  const auto message = family.status().message();
  if (!absl::StartsWith(message, "f.yaml:") || message.size() < 8 ||
      !absl::ascii_isdigit(static_cast<unsigned char>(message[7]))) {
    __builtin_trap();
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Any bytes are sections or an error. Sections are written as the bytes that
// they were read from: nothing in a file is ignored.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "static_graph/program/section_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace static_graph = switchyard::static_graph;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto sections = static_graph::DecodeSections(bytes);
  if (!sections.ok()) {
    if (sections.status().message().empty()) __builtin_trap();
    return 0;
  }
  if (static_graph::EncodeSections(*sections) != bytes) __builtin_trap();
  return 0;
}

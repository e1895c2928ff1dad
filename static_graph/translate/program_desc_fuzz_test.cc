// SPDX-License-Identifier: Apache-2.0
// Any bytes are a program description or an error. A description is sound
// again after it was written.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "static_graph/translate/program_desc.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace static_graph = switchyard::static_graph;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto program = static_graph::ParseProgramDesc(bytes);
  if (!program.ok()) {
    if (program.status().message().empty()) __builtin_trap();
    return 0;
  }
  for (const auto& block : (*program)->blocks()) {
    for (const auto& variable : block.vars()) {
      static_graph::SpecOfVariable(variable).IgnoreError();
    }
  }
  const auto again =
      static_graph::ParseProgramDesc((*program)->SerializeAsString());
  if (!again.ok()) __builtin_trap();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Any bytes are a program in JSON or an error that says what and where.
#include <cstddef>
#include <cstdint>
#include <string>

#include "static_graph/foreign/paddle_json/json_program.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace static_graph = switchyard::static_graph;
  const auto program = static_graph::ParseJsonProgram(
      std::string(reinterpret_cast<const char*>(data), size));
  if (!program.ok() && program.status().message().empty()) __builtin_trap();
  return 0;
}

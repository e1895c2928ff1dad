// SPDX-License-Identifier: Apache-2.0
// Any bytes are an ONNX model that becomes a program that verifies, or an error
// with a sentence, and never an internal one.
#include <cstddef>
#include <cstdint>
#include <string>

#include "static_graph/translate/onnx/load_any.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace static_graph = switchyard::static_graph;
  const absl::Status status = static_graph::LoadAny(static_graph::ReadOnnxBytes(
      std::string(reinterpret_cast<const char*>(data), size)));
  if (static_graph::IsUseless(status)) __builtin_trap();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Any bytes are a weight stream that fits the program's description or give an
// error with a sentence.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "static_graph/translate/corpus/weight_choices.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const absl::Status status =
      switchyard::static_graph::ReadChosenWeights(bytes);
  if (!status.ok() && status.message().empty()) __builtin_trap();
  return 0;
}

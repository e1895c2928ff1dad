// SPDX-License-Identifier: Apache-2.0
// Any bytes are a weight stream of what a program says or an error with a
// sentence. The first two bytes choose what the program says.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "static_graph/translate/weight_stream.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using switchyard::DataType;
  constexpr DataType kTypes[] = {DataType::kFloat32, DataType::kBool,
                                 DataType::kInt64, DataType::kFloat16};
  constexpr size_t kChoices = 2;
  if (size < kChoices) return 0;
  switchyard::TensorSpec spec;
  spec.dtype = kTypes[data[0] % 4];
  for (int rank = data[1] % 3; rank > 0; --rank) spec.shape.push_back(rank + 1);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + kChoices,
                               size - kChoices);
  switchyard::MemorySource source(bytes);
  switchyard::static_graph::WeightReader reader(&source);
  for (const char* name : {"first", "second"}) {
    const auto tensor = reader.Read(name, spec);
    if (!tensor.ok()) {
      if (tensor.status().message().empty()) __builtin_trap();
      return 0;
    }
    if (tensor->dtype() != spec.dtype) __builtin_trap();
  }
  reader.Finish().IgnoreError();
  return 0;
}

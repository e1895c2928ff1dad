// SPDX-License-Identifier: Apache-2.0
// ReadChosenWeights: decodes an entry of the corpus of weight streams.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_CORPUS_WEIGHT_CHOICES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_CORPUS_WEIGHT_CHOICES_H_

#include <string_view>

#include "framework/base/status.h"
#include "static_graph/foreign/paddle_desc/weight_stream.h"

namespace switchyard::static_graph {

// Reads two tensors of one dtype and shape, which the first two bytes choose,
// from the others, which must end with them.
inline absl::Status ReadChosenWeights(std::string_view bytes) {
  constexpr DataType kTypes[] = {DataType::kFloat32, DataType::kBool,
                                 DataType::kInt64, DataType::kFloat16};
  constexpr size_t kChoices = 2;
  if (bytes.size() < kChoices) return absl::OkStatus();
  TensorSpec spec;
  spec.dtype = kTypes[static_cast<unsigned char>(bytes[0]) % 4];
  for (int rank = static_cast<unsigned char>(bytes[1]) % 3; rank > 0; --rank) {
    spec.shape.push_back(rank + 1);
  }
  MemorySource source(bytes.substr(kChoices));
  WeightReader reader(&source);
  for (const char* name : {"first", "second"}) {
    SY_ASSIGN_OR_RETURN(const DenseTensor tensor, reader.Read(name, spec));
    if (tensor.dtype() != spec.dtype) __builtin_trap();
  }
  return reader.Finish();
}

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_CORPUS_WEIGHT_CHOICES_H_

// SPDX-License-Identifier: Apache-2.0
// ReadWeights: the tensors of an imported program's variables, from files or
// from memory. How one tensor lies in a stream is
// static_graph/foreign/paddle_desc/weight_stream.h.
#ifndef SWITCHYARD_STATIC_GRAPH_MODEL_WEIGHT_FILES_H_
#define SWITCHYARD_STATIC_GRAPH_MODEL_WEIGHT_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "static_graph/model/model_files.h"
#include "static_graph/translate/translated_program.h"

namespace switchyard::static_graph {

// The value of a state.
struct NamedTensor {
  std::string name;
  DenseTensor tensor;
};

// Read the tensors of `variables`, on the CPU, in their order. In one file or
// in memory they lie sorted by name, and nothing comes after them; in a folder
// each has a file that is named as its variable. IsMissingFile for a file that
// isn't there; InvalidArgument for bytes that contradict the format or the
// variables, and for a variable whose name leads out of the folder. Errors name
// the file.
absl::StatusOr<std::vector<NamedTensor>> ReadWeights(
    const ModelFiles& files, const std::vector<StateVariable>& variables);
absl::StatusOr<std::vector<NamedTensor>> ReadWeights(
    std::string_view bytes, const std::vector<StateVariable>& variables);

// Returns false if no file has weights for `variables`, of which there are
// some: a training program that is still to be initialised.
bool HasWeights(const ModelFiles& files,
                const std::vector<StateVariable>& variables);

// Returns a tensor of zeros for each variable.
absl::StatusOr<std::vector<NamedTensor>> MakeZeros(
    const std::vector<StateVariable>& variables);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_MODEL_WEIGHT_FILES_H_

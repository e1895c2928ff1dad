// SPDX-License-Identifier: Apache-2.0
// ExternalFiles: the files beside an ONNX model that hold elements of its
// tensors.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_EXTERNAL_DATA_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_EXTERNAL_DATA_H_

#include <memory>
#include <string>
#include <string_view>

#include "framework/base/hash_map.h"
#include "framework/base/mapped_file.h"
#include "framework/base/status.h"

namespace switchyard::static_graph {

// Maps the files that tensors name, each once. Used by one thread at a time.
class ExternalFiles {
 public:
  // `folder`: that of the model; empty for a model in memory, which has none.
  explicit ExternalFiles(std::string folder) : folder_(std::move(folder)) {}

  // Maps the file at `location`, a path relative to the folder. InvalidArgument
  // for one that is absolute, has ".." in it, or, once links are resolved, is
  // not inside the folder; IsMissingFile for one that isn't there.
  absl::StatusOr<std::shared_ptr<const MappedFile>> Map(
      std::string_view location);

 private:
  std::string folder_;
  HashMap<std::string, std::shared_ptr<const MappedFile>> files_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_EXTERNAL_DATA_H_

// SPDX-License-Identifier: Apache-2.0
// State: the tensors that programs read and update from run to run.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_STATE_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_STATE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard::static_graph {

// The tensors that programs read and update from run to run, by name:
// parameters, running statistics, optimizer state, the random generator's
// offset. It is mutable and apart from the Executable
// (static_graph/program/executable.h), which is immutable and holds none of it.
//
// Code that writes a tensor's memory otherwise than by an operator, a program
// or Set() calls buffer()->BumpVersion(): programs keep weights in the layouts
// that kernels want for as long as the version stays (packed_values.h). Views
// of other libraries are known by themselves (framework/memory/buffer_watch.h).
//
// Movable. Shares the memory of its tensors. Not synchronised: a run that
// updates states has it alone; runs of programs that only read may share it.
class State {
 public:
  struct Entry {
    std::string name;
    DenseTensor tensor;
  };

  // Adds or replaces a tensor and shares its memory: a run updates it in place,
  // so other holders of the tensor see the new values. ArgumentError unless it
  // has memory and is contiguous.
  absl::Status Set(const std::string& name, const DenseTensor& tensor);
  // Returns null if there is none of this name. Valid until the next Set.
  const DenseTensor* Find(const std::string& name) const;
  // Returns the position in entries(), found by hashing; -1 if there is none.
  int FindIndex(const std::string& name) const;
  // Returns the tensors in the order in which they were added.
  absl::Span<const Entry> entries() const { return entries_; }

  // Returns a number that is never 0. States of one layout have the same names
  // at the same positions: executors remember positions by it.
  uint64_t layout() const { return layout_; }

 private:
  std::vector<Entry> entries_;
  HashMap<std::string, int> indices_;  // In entries_, by name.
  uint64_t layout_ = 1;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_STATE_H_

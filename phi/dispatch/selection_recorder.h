// SPDX-License-Identifier: Apache-2.0
// SelectionRecorder: records the choices that selection makes in a block.
#ifndef SWITCHYARD_PHI_DISPATCH_SELECTION_RECORDER_H_
#define SWITCHYARD_PHI_DISPATCH_SELECTION_RECORDER_H_

#include <string>
#include <utility>
#include <vector>

namespace switchyard::phi::dispatch {

// Records the choices that selection makes in a block, one line each, in the
// order of the calls (the line: phi/selection/transcript.h). Transforms stand
// in the line of the call that needs them and have none of their own. Lives on
// one thread's stack and records that thread's calls. Scopes nest: an outer one
// records what an inner one records.
class SelectionRecorder {
 public:
  SelectionRecorder();
  ~SelectionRecorder();
  SelectionRecorder(const SelectionRecorder&) = delete;
  SelectionRecorder& operator=(const SelectionRecorder&) = delete;

  const std::vector<std::string>& lines() const { return lines_; }

  // Adds a line to this scope and those around it.
  void Record(std::string line);

 private:
  SelectionRecorder* outer_;
  std::vector<std::string> lines_;
};

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_SELECTION_RECORDER_H_

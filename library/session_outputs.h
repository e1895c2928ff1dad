// SPDX-License-Identifier: Apache-2.0
// SessionOutputs: what the last run of a session left, and where the next one
// writes.
#ifndef SWITCHYARD_LIBRARY_SESSION_OUTPUTS_H_
#define SWITCHYARD_LIBRARY_SESSION_OUTPUTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "library/caller_buffer.h"
#include "library/model.h"
#include "static_graph/executor/run_value.h"

namespace switchyard::library {

class SessionInputs;  // session_inputs.h

// Errors are those of the functions of switchyard.h that set and read outputs;
// they name the output.
class SessionOutputs {
 public:
  // An item of an output, as switchyard_session_output() has it.
  struct Item {
    DataType dtype = DataType::kUndefined;
    Shape shape;
    const void* data = nullptr;
    size_t bytes = 0;
  };

  // Borrows the model. Nothing has run, and no buffer is set.
  explicit SessionOutputs(const Model* model);

  absl::Status SetBuffer(const char* name, const CallerBuffer& buffer,
                         const SessionInputs& inputs);
  void Clear() { outputs_.assign(outputs_.size(), Fetched()); }
  // Lets go of the results of a run: they give their memory to the next.
  void Release();
  // Keeps what a run has fetched, and writes what goes to the caller.
  absl::Status Keep(std::vector<static_graph::RunValue> fetched);

  absl::StatusOr<size_t> Items(const char* name);
  absl::StatusOr<Item> Read(const char* name, size_t item);
  absl::StatusOr<const std::string*> Text(const char* name, size_t position);
  absl::StatusOr<absl::Span<const int64_t>> Lengths(const char* name,
                                                    int level);
  // Returns the name of an output that shares memory with `buffer`, that of
  // number `except` left out; null if there is none.
  const std::string* Sharing(const CallerBuffer& buffer,
                             std::optional<size_t> except = {}) const;

 private:
  struct Fetched {
    std::optional<CallerBuffer> buffer;
    bool ran = false;
    bool in_buffer = false;  // The result was written there.
    static_graph::RunValue value;
    std::vector<std::vector<int64_t>> lengths;
  };

  const auto& fetches() const { return model_.program().fetches(); }
  absl::StatusOr<Fetched*> Result(const char* name);

  const Model& model_;
  std::vector<Fetched> outputs_;
};

}  // namespace switchyard::library

#endif  // SWITCHYARD_LIBRARY_SESSION_OUTPUTS_H_

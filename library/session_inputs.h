// SPDX-License-Identifier: Apache-2.0
// SessionInputs: what the next run of a session reads.
#ifndef SWITCHYARD_LIBRARY_SESSION_INPUTS_H_
#define SWITCHYARD_LIBRARY_SESSION_INPUTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/string_tensor.h"
#include "library/caller_buffer.h"
#include "library/model.h"
#include "static_graph/executor/run_value.h"

namespace switchyard::library {

class SessionOutputs;  // session_outputs.h

// Errors are those of the functions of switchyard.h that set inputs; they name
// the input.
class SessionInputs {
 public:
  // Borrows the model. No input is set.
  explicit SessionInputs(const Model* model);

  absl::Status SetBuffer(const char* name, const CallerBuffer& buffer,
                         const SessionOutputs& outputs);
  absl::Status AddItem(const char* name, const CallerBuffer& buffer);
  // As many texts as `shape` has elements, of these sizes; null: each ends with
  // a zero.
  absl::Status SetTexts(const char* name, const Shape& shape,
                        const char* const* texts, const size_t* sizes);
  absl::Status SetLengths(const char* name, int level,
                          absl::Span<const int64_t> lengths);
  void Clear() { inputs_.assign(inputs_.size(), Input()); }

  // Returns the feeds of a run; FailedPrecondition for an input that isn't set.
  absl::StatusOr<std::vector<static_graph::RunValue>> Feeds() const;
  // Returns the shapes of the feeds: the model's of an input that isn't set.
  std::vector<Shape> Shapes() const;
  // Returns the name of an input that shares memory with `buffer`; null if
  // there is none.
  const std::string* Sharing(const CallerBuffer& buffer) const;

 private:
  struct Input {
    std::optional<CallerBuffer> buffer;
    std::vector<DenseTensor> items;             // Of an array.
    std::shared_ptr<const StringTensor> texts;  // Null before they are set.
    std::vector<std::vector<int64_t>> lengths;
  };

  const auto& feeds() const { return model_.program().feeds(); }
  // Returns the input of a name, whose port is of this kind and dtype.
  absl::StatusOr<Input*> InputFor(const char* name, TensorKind kind,
                                  DataType dtype);
  absl::StatusOr<static_graph::RunValue> Feed(size_t position) const;

  const Model& model_;
  std::vector<Input> inputs_;
};

}  // namespace switchyard::library

#endif  // SWITCHYARD_LIBRARY_SESSION_INPUTS_H_

// SPDX-License-Identifier: Apache-2.0
// Session: the states of a model, what its next run reads and writes, and what
// the last one left.
#ifndef SWITCHYARD_LIBRARY_SESSION_H_
#define SWITCHYARD_LIBRARY_SESSION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/memory/memory_meter.h"
#include "framework/tensor/string_tensor.h"
#include "library/caller_buffer.h"
#include "library/model.h"
#include "library/options.h"
#include "static_graph/executor/run_profile.h"
#include "static_graph/executor/run_value.h"
#include "static_graph/executor/state.h"

namespace switchyard::library {

// Returns the error with the name of an input or output in front.
absl::Status Of(const char* what, const std::string& name,
                const absl::Status& status);

// One thread at a time: Enter() says who has it. Errors are those of the
// functions of switchyard.h that have the same names.
class Session {
 public:
  // An item of an output, as switchyard_session_output() has it.
  struct Item {
    DataType dtype = DataType::kUndefined;
    Shape shape;
    const void* data = nullptr;
    size_t bytes = 0;
  };

  // Holds a session for the calling thread, and meters what it allocates.
  class Use;

  Session(std::shared_ptr<const Model> model, const Options& options);

  // Gives the states their first values: memory of its own for those that a run
  // writes; all others are shared with the model.
  absl::Status Reset();

  absl::Status SetInput(const char* name, const CallerBuffer& buffer);
  absl::Status AddItem(const char* name, const CallerBuffer& buffer);
  // As many texts as `shape` has elements, of these sizes; null: each ends with
  // a zero.
  absl::Status SetTexts(const char* name, const Shape& shape,
                        const char* const* texts, const size_t* sizes);
  absl::Status SetLengths(const char* name, int level,
                          absl::Span<const int64_t> lengths);
  absl::Status SetOutput(const char* name, const CallerBuffer& buffer);
  void Clear();

  absl::Status Run();

  absl::StatusOr<size_t> Items(const char* name);
  absl::StatusOr<Item> Output(const char* name, size_t item);
  absl::StatusOr<const std::string*> Text(const char* name, size_t position);
  absl::StatusOr<absl::Span<const int64_t>> Lengths(const char* name,
                                                    int level);
  // Live until the next call of the same function.
  absl::StatusOr<const char*> Profile();
  absl::StatusOr<const char*> Explanation();

  const MemoryMeter& meter() const { return meter_; }

 private:
  struct Input {
    std::optional<CallerBuffer> buffer;
    std::vector<DenseTensor> items;             // Of an array.
    std::shared_ptr<const StringTensor> texts;  // Null before they are set.
    std::vector<std::vector<int64_t>> lengths;
  };
  struct Fetched {
    std::optional<CallerBuffer> buffer;
    bool ran = false;
    bool in_buffer = false;  // The result was written there.
    static_graph::RunValue value;
    std::vector<std::vector<int64_t>> lengths;
  };

  const static_graph::Executable& program() const { return model_->program(); }
  // Returns the input of a name, whose port is of this kind and dtype.
  absl::StatusOr<Input*> InputFor(const char* name, TensorKind kind,
                                  DataType dtype);
  absl::StatusOr<Fetched*> Result(const char* name);
  absl::StatusOr<static_graph::RunValue> Feed(size_t position) const;
  // Keeps what a run has fetched, and writes what goes to the caller.
  absl::Status Keep(std::vector<static_graph::RunValue> fetched);

  const std::shared_ptr<const Model> model_;
  const Options options_;
  MemoryMeter meter_;
  std::atomic_flag used_ = ATOMIC_FLAG_INIT;
  static_graph::State state_;
  std::vector<Input> inputs_;
  std::vector<Fetched> outputs_;
  std::optional<static_graph::RunProfile> profile_;
  std::string profile_text_;
  std::string explanation_;
};

// Holds a session for the calling thread while it lives, if no other thread
// has it.
class Session::Use {
 public:
  explicit Use(Session* session)
      : session_(session->used_.test_and_set(std::memory_order_acquire)
                     ? nullptr
                     : session),
        metered_(session_ == nullptr ? nullptr : &session->meter_) {}
  ~Use() {
    if (session_ != nullptr) {
      session_->used_.clear(std::memory_order_release);
    }
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  bool held() const { return session_ != nullptr; }

 private:
  Session* const session_;
  const MeterScope metered_;
};

}  // namespace switchyard::library

#endif  // SWITCHYARD_LIBRARY_SESSION_H_

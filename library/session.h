// SPDX-License-Identifier: Apache-2.0
// Session: the states of a model, with the inputs of its next run and the
// outputs of the last.
#ifndef SWITCHYARD_LIBRARY_SESSION_H_
#define SWITCHYARD_LIBRARY_SESSION_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "framework/base/status.h"
#include "framework/memory/memory_meter.h"
#include "library/model.h"
#include "library/options.h"
#include "library/session_inputs.h"
#include "library/session_outputs.h"
#include "static_graph/executor/run_profile.h"
#include "static_graph/executor/state.h"

namespace switchyard::library {

// One thread at a time: Use says who has it. Errors are those of the
// functions of switchyard.h that have the same names.
class Session {
 public:
  // Holds a session for the calling thread, and meters what it allocates.
  class Use;

  Session(std::shared_ptr<const Model> model, const Options& options);

  // Gives the states their first values: memory of its own for those that a run
  // writes; all others are shared with the model.
  absl::Status Reset();

  SessionInputs& inputs() { return inputs_; }
  SessionOutputs& outputs() { return outputs_; }
  void Clear();

  absl::Status Run();

  // Live until the next call of the same function.
  absl::StatusOr<const char*> Profile();
  absl::StatusOr<const char*> Explanation();

  const MemoryMeter& meter() const { return meter_; }

 private:
  const static_graph::Executable& program() const { return model_->program(); }

  const std::shared_ptr<const Model> model_;
  const Options options_;
  MemoryMeter meter_;
  std::atomic_flag used_ = ATOMIC_FLAG_INIT;
  static_graph::State state_;
  SessionInputs inputs_;
  SessionOutputs outputs_;
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

// SPDX-License-Identifier: Apache-2.0
// Model: a loaded model, which sessions and threads share.
#ifndef SWITCHYARD_LIBRARY_MODEL_H_
#define SWITCHYARD_LIBRARY_MODEL_H_

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/memory/memory_meter.h"
#include "library/include/switchyard.h"
#include "static_graph/executor/plan.h"
#include "static_graph/model/load_model.h"

namespace switchyard::library {

// A model and what was counted while it was loaded. Nothing of it changes.
class Model {
 public:
  Model(static_graph::LoadedModel loaded, const MemoryMeter& meter)
      : loaded_(std::move(loaded)), bytes_(meter.bytes()) {}

  const static_graph::LoadedModel& loaded() const { return loaded_; }
  const static_graph::Executable& program() const {
    return *loaded_.main.executable;
  }
  int64_t bytes() const { return bytes_; }

  // ArgumentError for a number that is no direction.
  absl::StatusOr<const std::vector<static_graph::ProgramPlan::Port>*> Ports(
      switchyard_direction direction) const;
  // The position of a name among the ports. NotFound, which lists them, if it
  // is none of them.
  absl::StatusOr<size_t> Find(switchyard_direction direction,
                              const char* name) const;
  // Lives as long as the model.
  absl::StatusOr<const char*> Explanation() const;

 private:
  const static_graph::LoadedModel loaded_;
  const int64_t bytes_;
  mutable std::mutex mutex_;
  mutable std::string explanation_;  // Guarded; made once, when asked for.
};

// Returns the model of a handle.
absl::StatusOr<std::shared_ptr<const Model>> ModelOf(switchyard_model handle);

}  // namespace switchyard::library

#endif  // SWITCHYARD_LIBRARY_MODEL_H_

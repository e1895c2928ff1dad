// SPDX-License-Identifier: Apache-2.0
#include "library/session.h"

#include <utility>
#include <vector>

#include "framework/base/hash_map.h"
#include "framework/device/cpu/parallel.h"
#include "framework/memory/cpu_allocator.h"
#include "library/profile_text.h"
#include "static_graph/dialect/rng_state.h"
#include "static_graph/executor/run_options.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::library {
namespace {

using static_graph::RunValue;

// Sets the size of the calling thread's team for a scope; 0 leaves it.
class TeamSize {
 public:
  explicit TeamSize(int threads) : before_(NumThreads()) {
    if (threads > 0) SetNumThreads(threads);
  }
  ~TeamSize() { SetNumThreads(before_); }
  TeamSize(const TeamSize&) = delete;
  TeamSize& operator=(const TeamSize&) = delete;

 private:
  const int before_;
};

// The names of the states that a run of the model may write.
HashSet<std::string> WrittenStates(const static_graph::LoadedModel& model) {
  HashSet<std::string> written;
  for (const auto& state : model.main.graph.new_states()) {
    written.insert(state.name);
  }
  if (model.startup.has_value()) {
    for (const auto& state : model.startup->graph.new_states()) {
      written.insert(state.name);
    }
  }
  return written;
}

bool HasState(const static_graph::Executable& program, const char* name) {
  for (const auto& state : program.states()) {
    if (state.name == name) return true;
  }
  return false;
}

absl::StatusOr<DenseTensor> SeedTensor(int64_t seed) {
  SY_ASSIGN_OR_RETURN(
      DenseTensor tensor,
      DenseTensor::Allocate(DataType::kInt64, {2}, CpuAllocator()));
  tensor.mutable_data<int64_t>()[0] = seed;
  tensor.mutable_data<int64_t>()[1] = 0;
  return tensor;
}

}  // namespace

Session::Session(std::shared_ptr<const Model> model, const Options& options)
    : model_(std::move(model)),
      options_(options),
      meter_(options.memory_limit),
      inputs_(model_.get()),
      outputs_(model_.get()) {}

absl::Status Session::Reset() {
  const static_graph::LoadedModel& model = model_->loaded();
  const HashSet<std::string> written = WrittenStates(model);
  static_graph::State fresh;
  for (const static_graph::State::Entry& entry : model.state.entries()) {
    DenseTensor tensor = entry.tensor;
    if (written.count(entry.name) > 0) {
      SY_ASSIGN_OR_RETURN(tensor, static_graph::ContiguousCopy(entry.tensor));
    }
    SY_RETURN_IF_ERROR(fresh.Set(entry.name, tensor));
  }
  const bool draws =
      HasState(program(), static_graph::kRngState) ||
      (model.startup.has_value() &&
       HasState(*model.startup->executable, static_graph::kRngState));
  if (draws) {
    SY_ASSIGN_OR_RETURN(const DenseTensor seed, SeedTensor(options_.seed));
    SY_RETURN_IF_ERROR(fresh.Set(static_graph::kRngState, seed));
  }
  if (model.needs_startup) {
    const TeamSize team(options_.threads);
    SY_RETURN_IF_ERROR(model.startup->executable->Run({}, &fresh).status());
  }
  state_ = std::move(fresh);
  return absl::OkStatus();
}

void Session::Clear() {
  inputs_.Clear();
  outputs_.Clear();
  profile_.reset();
}

absl::Status Session::Run() {
  SY_ASSIGN_OR_RETURN(const std::vector<RunValue> feeds, inputs_.Feeds());
  outputs_.Release();
  profile_.reset();
  static_graph::RunOptions options;
  if (options_.profile) options.profile = &profile_.emplace();
  std::vector<RunValue> fetched;
  const TeamSize team(options_.threads);
  SY_RETURN_IF_ERROR(program().RunInOrder(feeds, &state_, &fetched, options));
  return outputs_.Keep(std::move(fetched));
}

absl::StatusOr<const char*> Session::Profile() {
  if (!profile_.has_value()) {
    return absl::FailedPreconditionError(
        "a run of a session with switchyard_options_set_profile must come "
        "first");
  }
  profile_text_ = TraceOf(*profile_);
  return profile_text_.c_str();
}

absl::StatusOr<const char*> Session::Explanation() {
  SY_ASSIGN_OR_RETURN(explanation_,
                      program().Explain(inputs_.Shapes(),
                                        static_graph::ExplanationForm::kJson));
  return explanation_.c_str();
}

}  // namespace switchyard::library

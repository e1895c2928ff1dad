// SPDX-License-Identifier: Apache-2.0
#include "library/options.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "library/call.h"
#include "library/handle_table.h"

namespace switchyard::library {
namespace {

HandleTable<Options>& Table() {
  // Never destroyed: the host may call while the process ends.
  static auto* const table = new HandleTable<Options>(1, "options");
  return *table;
}

// Runs `set` on the options of a handle.
template <typename Set>
switchyard_status SetOption(const char* function, switchyard_options handle,
                            Set&& set) {
  return Call(function, [&]() -> absl::Status {
    SY_ASSIGN_OR_RETURN(const std::shared_ptr<Options> options,
                        Table().Find(handle));
    return set(options.get());
  });
}

}  // namespace

absl::StatusOr<Options> OptionsOf(switchyard_options handle) {
  if (handle == 0) return Options();
  SY_ASSIGN_OR_RETURN(const std::shared_ptr<Options> options,
                      Table().Find(handle));
  return *options;
}

}  // namespace switchyard::library

using switchyard::library::Call;
using switchyard::library::CheckThere;
using switchyard::library::Options;
using switchyard::library::SetOption;
using switchyard::library::Table;

switchyard_status switchyard_options_new(switchyard_options* options) {
  return Call("options_new", [&]() -> absl::Status {
    SY_RETURN_IF_ERROR(CheckThere("options", options));
    SY_ASSIGN_OR_RETURN(*options, Table().Add(std::make_shared<Options>()));
    return absl::OkStatus();
  });
}

switchyard_status switchyard_options_free(switchyard_options options) {
  return Call("options_free", [&] { return Table().Remove(options).status(); });
}

switchyard_status switchyard_options_set_weights(switchyard_options options,
                                                 const char* path) {
  return SetOption("options_set_weights", options, [&](Options* set) {
    SY_RETURN_IF_ERROR(CheckThere("path", path));
    set->weights = path;
    return absl::OkStatus();
  });
}

switchyard_status switchyard_options_set_relaxed(switchyard_options options,
                                                 const char* choices) {
  return SetOption("options_set_relaxed", options, [&](Options* set) {
    SY_RETURN_IF_ERROR(CheckThere("choices", choices));
    set->relaxed = choices;
    return absl::OkStatus();
  });
}

switchyard_status switchyard_options_set_strict_kernels(
    switchyard_options options, int32_t strict) {
  return SetOption("options_set_strict_kernels", options, [&](Options* set) {
    set->strict_kernels = strict != 0;
    return absl::OkStatus();
  });
}

switchyard_status switchyard_options_set_threads(switchyard_options options,
                                                 int32_t threads) {
  return SetOption("options_set_threads", options, [&](Options* set) {
    constexpr int32_t kMost = 4096;
    if (threads < 0 || threads > kMost) {
      return switchyard::RangeError("threads", "in [0, 4096]",
                                    std::to_string(threads));
    }
    set->threads = threads;
    return absl::OkStatus();
  });
}

switchyard_status switchyard_options_set_memory_limit(
    switchyard_options options, uint64_t bytes) {
  return SetOption("options_set_memory_limit", options, [&](Options* set) {
    constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
    set->memory_limit =
        static_cast<int64_t>(bytes == 0 ? kMost : std::min(bytes, kMost));
    return absl::OkStatus();
  });
}

switchyard_status switchyard_options_set_seed(switchyard_options options,
                                              int64_t seed) {
  return SetOption("options_set_seed", options, [&](Options* set) {
    set->seed = seed;
    return absl::OkStatus();
  });
}

switchyard_status switchyard_options_set_profile(switchyard_options options,
                                                 int32_t profile) {
  return SetOption("options_set_profile", options, [&](Options* set) {
    set->profile = profile != 0;
    return absl::OkStatus();
  });
}

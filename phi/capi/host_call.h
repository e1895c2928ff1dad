// SPDX-License-Identifier: Apache-2.0
// HostCall: the process's side of a SyCall (phi/capi/plugin.h), whatever the
// plugin's function does. Each kind of call has more of its own, in a class
// that derives from this one.
#ifndef SWITCHYARD_PHI_CAPI_HOST_CALL_H_
#define SWITCHYARD_PHI_CAPI_HOST_CALL_H_

#include <cstdint>
#include <exception>
#include <new>
#include <string_view>

#include "absl/base/optimization.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "phi/capi/plugin.h"
#include "phi/core/op_info.h"

namespace switchyard::phi::capi {

// One call of a plugin's function, on the stack of the thread that makes it.
struct HostCall : SyCall {
  enum class Kind : uint8_t { kKernel, kInference, kBody };

  Kind kind;
  absl::Span<const AttrRef> attrs;
  const OpInfo* info;
  absl::Status error;  // The first.

  void Keep(absl::Status status) {
    if (error.ok()) error = std::move(status);
  }
  // Returns whether there is an argument of this number, `what` an "input",
  // and keeps a RangeError if not.
  bool IsThere(const char* what, int32_t number, size_t count);
};

// Returns `call` as a call of this class; null, with an error kept, if a plugin
// uses a function that is for another kind of call.
template <typename Call>
Call* As(SyCall* call) {
  auto& host = static_cast<HostCall&>(*call);
  if (ABSL_PREDICT_TRUE(host.kind == Call::kKind)) {
    return static_cast<Call*>(&host);
  }
  host.Keep(absl::FailedPreconditionError(
      "the plugin used a function of SyApi that is not for this kind of call"));
  return nullptr;
}

// Puts the functions for every call into `api`.
void AddHostCallFunctions(SyApi* api);

// Makes the status of a plugin's code and message. A code that absl does not
// have becomes Internal.
absl::Status StatusOf(SyCode code, std::string_view message);

// Calls `function`, which runs code of a plugin. An exception becomes Internal,
// with its text if it has one.
template <typename Function>
absl::Status CatchAll(const Function& function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory");
  } catch (const std::exception& error) {
    return absl::InternalError(error.what());
  } catch (...) {
    return absl::InternalError("an exception that is no std::exception");
  }
}

// Returns the error of a failed call: the kept message, else the text of the
// exception, else the code, prefixed with the plugin's name. `what` is "kernel
// softmax".
absl::Status ErrorOf(HostCall& call, const absl::Status& thrown, SyCode code,
                     std::string_view what, const char* plugin);

// Calls a plugin's function; OK if it returned SY_OK and nothing was wrong.
inline absl::Status RunFunction(SyFunction function, HostCall& call,
                                const char* what, const char* plugin) {
  SyCode code = SY_OK;
  const absl::Status thrown = CatchAll([&] {
    code = function(&call);
    return absl::OkStatus();
  });
  if (ABSL_PREDICT_TRUE(code == SY_OK && thrown.ok() && call.error.ok())) {
    return absl::OkStatus();
  }
  return ErrorOf(call, thrown, code, what, plugin);
}

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_HOST_CALL_H_

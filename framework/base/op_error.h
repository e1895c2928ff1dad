// SPDX-License-Identifier: Apache-2.0
// OpError: the only exception type of the project.
#ifndef SWITCHYARD_FRAMEWORK_BASE_OP_ERROR_H_
#define SWITCHYARD_FRAMEWORK_BASE_OP_ERROR_H_

#include <exception>
#include <string>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace switchyard {

// The only exception type of the project. The outermost eager API
// (switchyard/ops.h, the Python binding) throws it; everything below returns
// the absl::Status that it carries (framework/base/status.h).
class OpError : public std::exception {
 public:
  // `status` is not OK.
  explicit OpError(absl::Status status);

  const absl::Status& status() const { return status_; }
  // The status's message: "softmax: axis must be in [-2, 2), got 5".
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  absl::Status status_;
  std::string what_;  // The status's message need not end in a NUL.
};

// Throws OpError(status); out of line, so that callers stay small.
[[noreturn]] void ThrowOpError(absl::Status status);

// Throws OpError if `status` is not OK. For the outermost eager API only.
inline void ThrowIfError(absl::Status status) {
  if (ABSL_PREDICT_FALSE(!status.ok())) ThrowOpError(std::move(status));
}

// The value, or OpError. For the outermost eager API only.
template <typename T>
T ValueOrThrow(absl::StatusOr<T> result) {
  if (ABSL_PREDICT_FALSE(!result.ok())) {
    ThrowOpError(std::move(result).status());
  }
  return *std::move(result);
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_BASE_OP_ERROR_H_

// SPDX-License-Identifier: Apache-2.0
// Status macros and the constructors of our one error sentence.
//
// Errors cross module boundaries as absl::Status. The sentence is always
//   <operator>: <argument> must be <expected>, got <got>
// Code that knows the operator (dispatch, builders, loaders) prefixes it with
// Annotate(); code that does not (InferMeta, kernels) makes the rest with
// ArgumentError() and its siblings. The exception type that leaves the eager
// API lives in framework/base/op_error.h.
#ifndef SWITCHYARD_FRAMEWORK_BASE_STATUS_H_
#define SWITCHYARD_FRAMEWORK_BASE_STATUS_H_

#include <string_view>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace switchyard {

// "<argument> must be <expected>, got <got>", code InvalidArgument. Choose it
// for a bad shape, rank or attribute value. Becomes ValueError in Python.
absl::Status ArgumentError(std::string_view argument, std::string_view expected,
                           std::string_view got);

// Makes the sentence of ArgumentError() for a wrong dtype or tensor kind: code
// InvalidArgument with a payload (IsTypeError) that makes it a TypeError in
// Python.
absl::Status TypeError(std::string_view argument, std::string_view expected,
                       std::string_view got);

// Makes the sentence of ArgumentError() for an index or axis outside its range:
// code OutOfRange. Becomes IndexError in Python.
absl::Status RangeError(std::string_view argument, std::string_view expected,
                        std::string_view got);

// A size that does not fit: code ResourceExhausted. Becomes MemoryError.
absl::Status SizeError(std::string_view argument, std::string_view expected,
                       std::string_view got);

bool IsTypeError(const absl::Status& status);

// Returns `status` with "<context>: " before the message, its code and payloads
// kept. OK stays OK.
absl::Status Annotate(const absl::Status& status, std::string_view context);

}  // namespace switchyard

#define SY_RETURN_IF_ERROR(expr)               \
  do {                                         \
    absl::Status sy_status = (expr);           \
    if (ABSL_PREDICT_FALSE(!sy_status.ok())) { \
      return sy_status;                        \
    }                                          \
  } while (false)

#define SY_STATUS_CONCAT_(a, b) a##b
#define SY_STATUS_CONCAT(a, b) SY_STATUS_CONCAT_(a, b)

// SY_ASSIGN_OR_RETURN(auto x, MakeX()): x, or return of MakeX()'s error.
#define SY_ASSIGN_OR_RETURN(lhs, expr) \
  SY_ASSIGN_OR_RETURN_(SY_STATUS_CONCAT(sy_statusor_, __LINE__), lhs, expr)
#define SY_ASSIGN_OR_RETURN_(statusor, lhs, expr) \
  auto statusor = (expr);                         \
  if (ABSL_PREDICT_FALSE(!statusor.ok())) {       \
    return std::move(statusor).status();          \
  }                                               \
  lhs = *std::move(statusor)

#endif  // SWITCHYARD_FRAMEWORK_BASE_STATUS_H_

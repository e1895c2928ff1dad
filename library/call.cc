// SPDX-License-Identifier: Apache-2.0
#include "library/call.h"

#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace switchyard::library {
namespace {

constexpr char kCodePayload[] = "switchyard.library.code";

// Points into `storage`, or at a constant where there was no memory for more.
thread_local const char* error_text = "";

std::string& Storage() {
  thread_local std::string storage;
  return storage;
}

switchyard_status CodeOf(const absl::Status& status) {
  if (const auto payload = status.GetPayload(kCodePayload)) {
    int code = SWITCHYARD_INTERNAL;
    const bool number = absl::SimpleAtoi(std::string(*payload), &code);
    return number ? code : SWITCHYARD_INTERNAL;
  }
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return IsTypeError(status) ? SWITCHYARD_WRONG_TYPE
                                 : SWITCHYARD_INVALID_ARGUMENT;
    case absl::StatusCode::kOutOfRange:
      return SWITCHYARD_OUT_OF_RANGE;
    case absl::StatusCode::kNotFound:
      return SWITCHYARD_NOT_FOUND;
    case absl::StatusCode::kUnimplemented:
      return SWITCHYARD_UNSUPPORTED;
    case absl::StatusCode::kResourceExhausted:
      return SWITCHYARD_NO_MEMORY;
    case absl::StatusCode::kDataLoss:
      return SWITCHYARD_DAMAGED;
    case absl::StatusCode::kUnavailable:
      return SWITCHYARD_UNAVAILABLE;
    case absl::StatusCode::kFailedPrecondition:
      return SWITCHYARD_NOT_READY;
    default:
      return SWITCHYARD_INTERNAL;
  }
}

}  // namespace

absl::Status WithCode(switchyard_status code, absl::Status status) {
  status.SetPayload(kCodePayload, absl::Cord(absl::StrCat(code)));
  return status;
}

switchyard_status Report(std::string_view function,
                         const absl::Status& status) noexcept {
  try {
    const absl::string_view name(function.data(), function.size());
    Storage() = absl::StrCat(name, ": ", status.message());
    error_text = Storage().c_str();
    return CodeOf(status);
  } catch (...) {
    return ReportNoMemory();
  }
}

switchyard_status ReportNoMemory() noexcept {
  error_text = "memory: there must be some left, got none";
  return SWITCHYARD_NO_MEMORY;
}

switchyard_status ReportUnknown(const char* what) noexcept {
  Report("internal", absl::InternalError(what));
  return SWITCHYARD_INTERNAL;
}

}  // namespace switchyard::library

const char* switchyard_error() { return switchyard::library::error_text; }

// SPDX-License-Identifier: Apache-2.0
#include "framework/base/status.h"

#include <string>

#include "absl/strings/cord.h"

namespace switchyard {
namespace {

constexpr char kTypeErrorUrl[] = "switchyard/type_error";

std::string Sentence(std::string_view argument, std::string_view expected,
                     std::string_view got) {
  std::string text;
  text.reserve(argument.size() + expected.size() + got.size() + 16);
  text.append(argument).append(" must be ").append(expected);
  text.append(", got ").append(got);
  return text;
}

}  // namespace

absl::Status ArgumentError(std::string_view argument, std::string_view expected,
                           std::string_view got) {
  return absl::InvalidArgumentError(Sentence(argument, expected, got));
}

absl::Status TypeError(std::string_view argument, std::string_view expected,
                       std::string_view got) {
  absl::Status status = ArgumentError(argument, expected, got);
  status.SetPayload(kTypeErrorUrl, absl::Cord());
  return status;
}

absl::Status RangeError(std::string_view argument, std::string_view expected,
                        std::string_view got) {
  return absl::OutOfRangeError(Sentence(argument, expected, got));
}

absl::Status SizeError(std::string_view argument, std::string_view expected,
                       std::string_view got) {
  return absl::ResourceExhaustedError(Sentence(argument, expected, got));
}

bool IsTypeError(const absl::Status& status) {
  return status.GetPayload(kTypeErrorUrl).has_value();
}

absl::Status Annotate(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  std::string text(context);
  text.append(": ").append(status.message().data(), status.message().size());
  absl::Status annotated(status.code(), text);
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) {
    annotated.SetPayload(url, payload);
  });
  return annotated;
}

}  // namespace switchyard

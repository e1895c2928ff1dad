// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/location.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace switchyard::static_graph::ir {
namespace {

// The payload of a status that has a location.
constexpr char kLocated[] = "switchyard/location";

}  // namespace

std::string ToString(const LocationSpec& spec) {
  if (spec.second < 0) return absl::StrCat(*spec.source, ":", spec.first);
  return absl::StrCat("operation ", spec.second, " of block ", spec.first,
                      " of ", *spec.source);
}

absl::Status AtLocation(const absl::Status& status, const LocationSpec& spec) {
  if (status.ok() || !spec) return status;
  if (status.GetPayload(kLocated).has_value()) return status;
  absl::Status located(status.code(), absl::StrCat(status.message(), " (at ",
                                                   ToString(spec), ")"));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) {
    located.SetPayload(url, payload);
  });
  located.SetPayload(kLocated, absl::Cord());
  return located;
}

}  // namespace switchyard::static_graph::ir

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/pass/pass_info.h"

#include <utility>

namespace switchyard::static_graph {
namespace {

const PassInfo* Find(absl::Span<const PassInfo> table, std::string_view name) {
  for (const PassInfo& info : table) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

absl::Status UnknownPass(absl::Span<const PassInfo> table,
                         std::string_view name) {
  std::string known;
  for (const PassInfo& info : table) {
    known += known.empty() ? info.name : std::string(", ") + info.name;
  }
  return absl::NotFoundError("pass must be one of " + known + ", got " +
                             std::string(name));
}

}  // namespace

absl::StatusOr<std::vector<std::unique_ptr<Pass>>> CreatePasses(
    absl::Span<const PassInfo> table, std::string_view names,
    const PassEnvironment& environment) {
  std::vector<std::unique_ptr<Pass>> passes;
  if (names.empty()) return passes;
  while (true) {
    const size_t comma = names.find(',');
    const std::string_view name = names.substr(0, comma);
    const PassInfo* info = Find(table, name);
    if (info == nullptr) return UnknownPass(table, name);
    passes.push_back(info->create(environment));
    if (comma == names.npos) return passes;
    names.remove_prefix(comma + 1);
  }
}

std::string PassReference(absl::Span<const PassInfo> table) {
  std::string page = "# Passes\n";
  for (const PassInfo& info : table) {
    page += std::string("\n## ") + info.name + "\n\n" + info.summary + " *" +
            std::string(Name(info.exactness)) + "*\n\n" + info.details + "\n";
  }
  return page;
}

}  // namespace switchyard::static_graph

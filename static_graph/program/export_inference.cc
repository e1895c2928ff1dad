// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/export_inference.h"

#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "static_graph/ir/block.h"
#include "static_graph/passes/dead_code_elimination.h"

namespace switchyard::static_graph {
namespace {

constexpr char kIsTest[] = "is_test";

absl::Status UnknownFetch(absl::Span<const ir::NamedValue> fetches,
                          const std::string& name) {
  std::string names;
  for (const ir::NamedValue& fetch : fetches) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", fetch.name);
  }
  return ArgumentError("fetch", absl::StrCat("one of ", names), name);
}

// Returns the values of `fetches` with these names, in the order of `names`.
absl::StatusOr<std::vector<ir::NamedValue>> Chosen(
    absl::Span<const ir::NamedValue> fetches,
    absl::Span<const std::string> names) {
  HashMap<std::string_view, ir::Value> values;
  for (const ir::NamedValue& fetch : fetches) {
    values.emplace(fetch.name, fetch.value);
  }
  std::vector<ir::NamedValue> chosen;
  for (const std::string& name : names) {
    const auto value = values.find(name);
    if (value == values.end()) return UnknownFetch(fetches, name);
    chosen.push_back({name, value->second});
  }
  return chosen;
}

void SwitchToInference(ir::Context* context, ir::Block& block) {
  for (ir::Operation* op : block) {
    for (int i = 0; i < op->num_regions(); ++i) {
      SwitchToInference(context, op->block(i));
    }
    if (op->attribute(kIsTest).As<bool>().has_value()) {
      op->SetAttribute(context->GetString(kIsTest),
                       context->GetAttribute(true));
    }
  }
}

}  // namespace

absl::StatusOr<ir::Program> ExportInference(
    const ir::Program& program, absl::Span<const std::string> fetches,
    UnusedArguments unused) {
  ir::Program exported = program.Clone();
  const absl::StatusOr<std::vector<ir::NamedValue>> chosen =
      Chosen(exported.fetches(), fetches);
  if (!chosen.ok()) return Annotate(chosen.status(), program.name());
  exported.Return(*chosen, {});
  SY_RETURN_IF_ERROR(DeadCodeElimination().Run(exported).status());
  if (unused == UnusedArguments::kErase) {
    exported.entry().EraseUnusedArguments();
  }
  SwitchToInference(exported.context(), exported.entry());
  return exported;
}

}  // namespace switchyard::static_graph

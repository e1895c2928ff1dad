// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/export_inference.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/ir/block.h"
#include "static_graph/transforms/dead_code_elimination.h"

namespace switchyard::static_graph {
namespace {

constexpr char kIsTest[] = "is_test";

absl::StatusOr<ir::NamedValue> FindFetch(
    absl::Span<const ir::NamedValue> fetches, const std::string& name) {
  std::string names;
  for (const ir::NamedValue& fetch : fetches) {
    if (fetch.name == name) return fetch;
    absl::StrAppend(&names, names.empty() ? "" : ", ", fetch.name);
  }
  return ArgumentError("fetch", absl::StrCat("one of ", names), name);
}

// Feeds and states that nothing reads any more.
void RemoveUnusedArguments(ir::Block& block) {
  for (int i = block.num_arguments() - 1; i >= 0; --i) {
    if (!block.argument(i).has_uses()) block.EraseArgument(i);
  }
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
    const ir::Program& program, absl::Span<const std::string> fetches) {
  ir::Program exported = program.Clone();
  const std::vector<ir::NamedValue> all = exported.fetches();
  std::vector<ir::NamedValue> kept;
  for (const std::string& name : fetches) {
    absl::StatusOr<ir::NamedValue> fetch = FindFetch(all, name);
    if (!fetch.ok()) return Annotate(fetch.status(), program.name());
    kept.push_back(*std::move(fetch));
  }
  exported.Return(kept, {});
  SY_RETURN_IF_ERROR(DeadCodeElimination().Run(exported).status());
  RemoveUnusedArguments(exported.entry());
  SwitchToInference(exported.context(), exported.entry());
  return exported;
}

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
#include <list>
#include <utility>

#include "phi/capi/registry.h"
#include "phi/capi/signature.h"
#include "phi/core/kernel_tables.h"

namespace switchyard::phi::capi {
namespace {

// Checks and copies the facts of an operator whose signature is set.
absl::Status FillOperator(const SyRegistry& registry, const SyOperator& given,
                          PluginOperator* op) {
  for (const char* suffix : {"", "_grad"}) {
    const std::string name = op->signature.name + suffix;
    if (FindOperator(registry, name.c_str()) == nullptr) continue;
    return absl::AlreadyExistsError(
        absl::StrCat("there is an operator named ", name));
  }
  if (given.body != nullptr &&
      (given.infer != nullptr || given.gradient != nullptr)) {
    return absl::InvalidArgumentError(
        "an operator with a body has the results and the gradient of what it "
        "calls: infer and gradient must be null");
  }
  op->infer_function = given.infer;
  op->body = given.body;
  return absl::OkStatus();
}

}  // namespace

absl::Status AddOperator(SyRegistry& registry, const SyOperator* given,
                         const SyApi* api) {
  SY_RETURN_IF_ERROR(CheckSize("SyOperator", given));
  PluginRecords& records = *registry.records;
  auto signature =
      ParseSignature(given->signature == nullptr ? "" : given->signature);
  if (!signature.ok()) return Annotate(signature.status(), "an operator");
  const std::string about = absl::StrCat("operator ", signature->name);
  // Aside until it is complete: a name is looked for among those before it.
  std::list<PluginOperator> made(given->gradient == nullptr ? 1 : 2);
  for (PluginOperator& op : made) {
    op.api = api;
    op.plugin = records.name.c_str();
    op.file_text = given->file == nullptr ? records.path : given->file;
    op.line = given->line;
  }
  PluginOperator& op = made.front();
  op.signature = *std::move(signature);
  op.doc = given->doc == nullptr ? "" : given->doc;
  SY_RETURN_IF_ERROR(Annotate(FillOperator(registry, *given, &op), about));
  FillOpInfo(&op);
  if (given->gradient != nullptr) {
    PluginOperator& backward = made.back();
    backward.body = given->gradient;
    SY_RETURN_IF_ERROR(
        Annotate(SetGradient(SplitNames(given->gradient_inputs == nullptr
                                            ? ""
                                            : given->gradient_inputs),
                             &op, &backward),
                 about));
  }
  if (op.body == nullptr) {
    op.slot.emplace(op.name, absl::Span<const KernelDef* const>(),
                    &KernelTables::FindOpKernels);
  }
  records.operators.splice(records.operators.end(), made);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::capi

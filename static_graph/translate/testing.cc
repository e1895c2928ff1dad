// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/testing.h"

#include <vector>

#include "phi/core/signatures/every_operator.h"

namespace switchyard::static_graph {

absl::StatusOr<TranslatedProgram> TranslateProgram(
    const translate::ProgramDesc& desc, std::string_view name,
    ir::Context* context, absl::Span<const std::string> libraries) {
  SY_ASSIGN_OR_RETURN(const auto parsed,
                      ParseProgramDesc(desc.SerializeAsString()));
  return TranslateProgram(*parsed, name, context, libraries);
}

namespace {

absl::Status NoBody(ir::Builder&, const CompositeArgs&) {
  return absl::UnimplementedError("an operator without a body in this test");
}

std::vector<const DialectOp*> MakeLoadableOps() {
  std::vector<const DialectOp*> ops;
  for (const phi::OpInfo* const info : phi::AllOpInfos()) {
    auto* const op = new DialectOp{info};
    if (info->infer_meta == nullptr) op->composite = &NoBody;
    ops.push_back(op);
  }
  return ops;
}

}  // namespace

absl::Span<const DialectOp* const> LoadableOps() {
  static const auto* const kOps =
      new std::vector<const DialectOp*>(MakeLoadableOps());
  return *kOps;
}

}  // namespace switchyard::static_graph

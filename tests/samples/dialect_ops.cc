// SPDX-License-Identifier: Apache-2.0
#include "tests/samples/dialect_ops.h"

#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard {

using static_graph::DialectOp;

const DialectOp* FindDialectRecord(const phi::OpInfo& op) {
  for (const DialectOp* record : static_graph::AllDialectOps()) {
    if (record->info == &op) return record;
  }
  return nullptr;
}

static_graph::ir::Context& EveryOperatorContext() {
  static static_graph::ir::Context* const context = [] {
    auto* made = new static_graph::ir::Context();
    static_graph::RegisterDialects(made, static_graph::AllDialectOps())
        .IgnoreError();
    return made;
  }();
  return *context;
}

}  // namespace switchyard

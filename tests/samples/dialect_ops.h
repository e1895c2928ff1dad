// SPDX-License-Identifier: Apache-2.0
// Every operator as the IR knows it, for tests that walk all of them.
#ifndef SWITCHYARD_TESTS_SAMPLES_DIALECT_OPS_H_
#define SWITCHYARD_TESTS_SAMPLES_DIALECT_OPS_H_

#include "phi/core/op_info.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/ir/context.h"

namespace switchyard {

// Returns the record of an operator; null if there is none.
const static_graph::DialectOp* FindDialectRecord(const phi::OpInfo& op);

// Returns a context that holds every operator and lives as long as the process.
// For one thread.
static_graph::ir::Context& EveryOperatorContext();

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_SAMPLES_DIALECT_OPS_H_

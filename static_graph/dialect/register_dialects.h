// SPDX-License-Identifier: Apache-2.0
// The dialects `op` and `kernel`: their registration, and the names of kernels.
//
// op.<operator> is a pure call of an operator: no in-place, no kernel.
// op.<operator>_ is the same call written in place, as programs have it that
// are traced or imported (InplaceVariantTrait), of operators with `inplace:`.
// Those whose own name ends so (sgd_) are pure: old state in, new state out.
// kernel.<operator> is the same call after lowering: which kernel runs it (or
// which are still possible), on which place, in whose memory; transforms that
// selection asks for are calls of their own. Beside the operator's attributes
// it has those of kernel_attributes.h, which no operator may have.
//
// Both share one verifier and one record, the DialectOp. Neither creates
// operations: that is static_graph/dialect/build_op.h and
// static_graph/lowering.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_REGISTER_DIALECTS_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_REGISTER_DIALECTS_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "phi/core/kernel_def.h"
#include "phi/core/kernel_table.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/ir/context.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {

// Registers op.<name> and kernel.<name> of each operator, and the dialect `cf`
// (cf_dialect.h). Keeps definitions that are registered already, so that a
// context may be given more operators later. InvalidArgument if an operator has
// an attribute named as one of the above.
absl::Status RegisterDialects(ir::Context* context,
                              absl::Span<const DialectOp* const> ops);

// The operator of this name that is registered; null if there is none.
const DialectOp* FindOperator(const ir::Context& context,
                              std::string_view name);

// Returns op.<operator>_; null if the operator has no in-place variant.
const ir::OpDefinition* InplaceVariantOf(const ir::Context& context,
                                         const DialectOp& op);
// Returns the definition of the same call without writing, op.relu for
// op.relu_; null if the operation is no in-place variant of an operator.
const ir::OpDefinition* ValueFormOf(const ir::Context& context,
                                    const ir::Operation& op);

// Returns true if `op` computes the gradient of an operator that is registered.
// Goes through all of them.
bool IsBackwardOperator(const ir::Context& context, const DialectOp& op);

// "<kernel>[_fluid]_<backend>_<dtype>": as the symbol of the KernelDef, without
// the leading "kernel_".
std::string KernelSymbol(const phi::KernelDef& kernel);

// The inverse over the candidates of one operator; null if there is none.
const phi::KernelDef* FindKernel(const phi::OpKernels& op_kernels,
                                 std::string_view symbol);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_REGISTER_DIALECTS_H_

// SPDX-License-Identifier: Apache-2.0
// RewriteJsonOperator: operators of programs in PaddlePaddle's JSON that ours
// are by another name, with other operands or attributes.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITES_JSON_REWRITES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITES_JSON_REWRITES_H_

#include "static_graph/foreign/foreign_program.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph {

// Our operator whose result is of the integers that the file says.
inline constexpr char kShapeOp[] = "shape";

// Makes of an operator of the block, as it is in the file, one in terms of
// ours; one that is ours as it is, or unknown, stays. One whose name ends in
// "_" writes over operands: each gets a slot of outputs, after the results',
// whose name is the number of our output that is the new value.
void RewriteJsonOperator(const ForeignBlock& block, const ir::Context& context,
                         ForeignOperator* op);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_REWRITES_JSON_REWRITES_H_

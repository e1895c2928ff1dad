// SPDX-License-Identifier: Apache-2.0
// FoldSmall: small operations on constants, computed while a program is
// translated: ONNX models compute shapes, axes and sizes by operators, and ours
// take them as attributes.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_FOLD_SMALL_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_FOLD_SMALL_H_

#include <vector>

#include "static_graph/ir/operation.h"
#include "static_graph/translate/onnx/onnx_translation.h"

namespace switchyard::static_graph {

// Returns constants, created before `op`, that its results are; none unless it
// is pure, all its operands are constants, each result has at most 64 elements,
// and `fold` could run it. The caller replaces the results and erases `op`.
std::vector<ir::Value> FoldSmall(ir::Operation* op, ir::Context* context,
                                 const FoldConstants& fold);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_FOLD_SMALL_H_

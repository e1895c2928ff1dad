// SPDX-License-Identifier: Apache-2.0
// TranslateBlock: translates the operators of a block, control flow and its
// blocks included.
//
// A block that an operator runs writes variables of the blocks around it, which
// it need not declare. Each of these is carried: a loop's block begins with the
// variable's value before the loop or after the last iteration; if a branch is
// not taken the variable keeps its value. A variable that was only declared
// before holds zeros then, without elements where an extent is unknown
// (BuildUnwritten), where the old framework fails as soon as something reads
// it; an array is empty. Variables that a block declares are new each time that
// it runs.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATE_BLOCK_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATE_BLOCK_H_

#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/translate/translation.h"
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

// Adds the operators of block `index`, the ports (IsPort) apart. `scope` is
// that block's. Errors as of TranslateProgram, with the operator's place.
absl::Status TranslateBlock(int index, ir::Builder& builder,
                            VariableScope* scope, Translation* translation);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATE_BLOCK_H_

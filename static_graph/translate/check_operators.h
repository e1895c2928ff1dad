// SPDX-License-Identifier: Apache-2.0
// CheckOperators: reports every unsupported operator of a program at once,
// before translation starts. Errors that depend on shapes come from the
// translation.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_CHECK_OPERATORS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_CHECK_OPERATORS_H_

#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph {

// Checks the operators of every block, ports (IsPort) apart: that some operator
// has a legacy form of the type, and that the form knows slots and attributes;
// of those of control flow, that their blocks are there (BlockOwners).
// One problem is reported as "block 0, operator 3, softmx: <sentence>", several
// as their number and a line each. Unimplemented if a type is unknown or an
// attribute is a block, else the code of the first problem. At most 200 are
// listed; of the others their number.
// `context` has our operators: a program in JSON needs it.
absl::Status CheckOperators(const ForeignProgram& program,
                            const ir::Context* context = nullptr);

// Returns the first problem. Where `mapped` is null, without those of the slots
// and attributes of calls, which a translation checks itself; otherwise those
// alone, of the calls that are not in `mapped`.
absl::Status CheckOperatorsExcept(const ForeignProgram& program,
                                  const OperatorSet* mapped,
                                  const ir::Context* context = nullptr);

// Returns the operator's place in errors: "block 0, operator 3, softmax".
std::string OperatorPlace(int block, int index, std::string_view type);

// Returns the legacy type that `type` may have been meant for: the one that the
// fewest insertions, removals, replacements and swaps of letters lead to, if
// they are at most a third of its letters; otherwise "".
std::string NearestLegacyType(std::string_view type);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_CHECK_OPERATORS_H_

// SPDX-License-Identifier: Apache-2.0
// Sequences (LoD) that an operator of an old program passes on. There an
// operator whose result has the rows of an argument gives it that argument's
// sequences, and the description of the result's variable says so; our
// operators do not, apart from those on sequences. with_sequences makes up for
// it.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_SEQUENCES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_SEQUENCES_H_

#include <string>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

// Returns whether a value of the variable `name` has sequences that the
// variable's description lacks: descriptions of values read from arrays are
// incomplete.
bool HasUndescribedSequences(const VariableScope& scope,
                             const std::string& name, ir::Value value);

// Returns `result`, which the variable `name` is to hold, with the sequences of
// the first of `operands` (absent ones are null) that has as many levels as the
// variable is described with; `result` itself where it has sequences of its
// own, or there is no such operand, or no such level. `undescribed`, which may
// be null, is the first operand of HasUndescribedSequences: descriptions of
// results of it lack levels, so the result has its sequences.
absl::StatusOr<ir::Value> WithSequences(ir::Builder& builder,
                                        const VariableScope& scope,
                                        const std::string& name,
                                        absl::Span<const ir::Value> operands,
                                        ir::Value undescribed,
                                        ir::Value result);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_SEQUENCES_H_

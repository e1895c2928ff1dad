// SPDX-License-Identifier: Apache-2.0
// StandIns: which values stand for variables that are undefined. Where one
// branch of Python code sets a variable and the other does not, exporters of
// PaddlePaddle 2 give it a number of their own there, a [1] of float32 whatever
// the variable is.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_STAND_INS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_STAND_INS_H_

#include "framework/base/hash_map.h"
#include "static_graph/foreign/foreign_operator.h"
#include "static_graph/ir/value.h"
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

// The values that stand for undefined variables, as far as they are known.
class StandIns {
 public:
  // Looks at an operator that has been translated: one that makes such a value,
  // or hands one on.
  void Note(const ForeignOperator& op, const VariableScope& scope);

  // `to` holds the same as `from`: a value of a loop and its first value.
  void HandOn(ir::Value from, ir::Value to);

  // Whether the value stands for none and can't be one of `like`, because its
  // dtype or its rank is another.
  bool Differs(ir::Value value, ir::Type like) const;

 private:
  HashSet<ir::Value> values_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_STAND_INS_H_

// SPDX-License-Identifier: Apache-2.0
// FixedValues: the values of a program that no run changes, such as weights and
// results computed from weights alone.
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_FIXED_VALUES_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_FIXED_VALUES_H_

#include <vector>

#include "framework/base/hash_map.h"
#include "static_graph/ir/operation.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

// Knows an operation once it was told of it. One that was erased is another
// when its memory is used again: tell of that too.
class FixedValues {
 public:
  explicit FixedValues(const ir::Program& program);

  // Returns true if the value depends only on constants and on states that the
  // program does not write.
  bool IsFixed(ir::Value value) const;

  // Learns of an operation; called in the order of the program.
  void Add(const ir::Operation& op);

 private:
  std::vector<ir::Value> updated_;
  HashMap<const ir::Operation*, bool> fixed_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_FIXED_VALUES_H_

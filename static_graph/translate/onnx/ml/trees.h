// SPDX-License-Identifier: Apache-2.0
// Decision trees of ai.onnx.ml, all trees of an ensemble side by side: each row
// goes down one step in each tree at a time.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ML_TREES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ML_TREES_H_

#include <cstdint>
#include <vector>

#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

// The test that a node makes of its feature.
enum class TreeTest : int64_t {
  kAtMost,
  kBelow,
  kAtLeast,
  kAbove,
  kEqual,
  kNotEqual,
  kMember,
  kLeaf,
};

// The nodes of all trees; a leaf is its own child.
struct TreeNodes {
  std::vector<TreeTest> tests;
  Integers features;
  std::vector<double> splits;
  Integers yes, no;
  Integers missing;  // 1: a NaN goes the way `yes`. May be empty.
  // The numbers that a kMember asks for, of each in order, a NaN after each.
  std::vector<double> members;
  Integers roots;

  size_t count() const { return tests.size(); }
  // Adds one that asks for nothing, and returns its number.
  int64_t AddLeaf();
};

// The number of the leaf of each tree that each row of x reaches:
// [rows, trees]. Fails unless the nodes are trees.
ir::Value LeavesOf(OnnxCall& call, const TreeNodes& nodes, ir::Value x);

// The weights that leaves have for targets.
struct LeafWeights {
  Integers nodes, targets;
  std::vector<double> weights;
  int64_t width = 0;  // How many targets there are.
};

// How the weights of all trees become one.
enum class TreeSum : int64_t { kAverage, kSum, kMin, kMax };

// [rows, targets]: all trees' weights together.
ir::Value Together(OnnxCall& call, const TreeNodes& nodes,
                   const LeafWeights& leaves, ir::Value reached, TreeSum sum,
                   DataType dtype);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ML_TREES_H_

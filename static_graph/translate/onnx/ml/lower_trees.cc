// SPDX-License-Identifier: Apache-2.0
// Ensembles of decision trees.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/ml/scores.h"
#include "static_graph/translate/onnx/ml/trees.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// The places of nodes by tree and number.
using Places = std::map<std::pair<int64_t, int64_t>, int64_t>;

// Fails unless a list has an element for each of `count`, or may be empty and
// is.
void CheckCount(OnnxCall& call, const char* name, size_t got, size_t count,
                bool may_be_empty = false) {
  if (got == count || (may_be_empty && got == 0)) return;
  call.Fail(ArgumentError(name, absl::StrCat("of ", count, " elements"),
                          absl::StrCat(got)));
}

TreeTest TestNamed(OnnxCall& call, const std::string& name) {
  static constexpr std::pair<const char*, TreeTest> kTests[] = {
      {"BRANCH_LEQ", TreeTest::kAtMost},  {"BRANCH_LT", TreeTest::kBelow},
      {"BRANCH_GTE", TreeTest::kAtLeast}, {"BRANCH_GT", TreeTest::kAbove},
      {"BRANCH_EQ", TreeTest::kEqual},    {"BRANCH_NEQ", TreeTest::kNotEqual},
      {"LEAF", TreeTest::kLeaf}};
  for (const auto& [known, test] : kTests) {
    if (name == known) return test;
  }
  call.Refuse(absl::StrCat("nodes_modes has '", name, "'"));
  return TreeTest::kLeaf;
}

// The tests of all nodes, and their places.
Places ReadTests(OnnxCall& call, TreeNodes* nodes) {
  Places places;
  const Integers trees = call.Ints("nodes_treeids");
  const Integers numbers = call.Ints("nodes_nodeids");
  const ForeignAttr* const modes = call.op().attr("nodes_modes");
  const size_t count = trees.size();
  CheckCount(call, "nodes_nodeids", numbers.size(), count);
  CheckCount(call, "nodes_modes", modes == nullptr ? 0 : modes->texts().size(),
             count);
  if (!call.ok()) return places;
  for (size_t i = 0; i < count; ++i) {
    nodes->tests.push_back(TestNamed(call, modes->texts()[i]));
    const std::pair<int64_t, int64_t> key = {trees[i], numbers[i]};
    if (!places.emplace(key, static_cast<int64_t>(i)).second) {
      call.Fail(ArgumentError("nodes_nodeids", "different in each tree",
                              absl::StrCat(numbers[i], " twice")));
    }
  }
  return places;
}

int64_t PlaceOf(OnnxCall& call, const Places& places, const char* name,
                int64_t tree, int64_t node) {
  const auto found = places.find({tree, node});
  if (found != places.end()) return found->second;
  call.Fail(ArgumentError(name, "of nodes that are there",
                          absl::StrCat(node, " of tree ", tree)));
  return 0;
}

// The node of each tree that is no other's child.
void FindRoots(OnnxCall& call, TreeNodes* nodes) {
  const Integers trees = call.Ints("nodes_treeids");
  std::vector<bool> child(nodes->count());
  for (size_t i = 0; i < nodes->count(); ++i) {
    if (nodes->tests[i] == TreeTest::kLeaf) continue;
    child[static_cast<size_t>(nodes->yes[i])] = true;
    child[static_cast<size_t>(nodes->no[i])] = true;
  }
  std::set<int64_t> rooted;
  for (size_t i = 0; i < nodes->count(); ++i) {
    if (child[i]) continue;
    nodes->roots.push_back(static_cast<int64_t>(i));
    rooted.insert(trees[i]);
  }
  const std::set<int64_t> all(trees.begin(), trees.end());
  if (rooted.size() != all.size() || nodes->roots.size() != all.size()) {
    call.Fail(ArgumentError(
        "nodes", "trees, each with one root",
        absl::StrCat(all.size(), " trees of ", nodes->roots.size(), " roots")));
  }
}

// The nodes of the versions before 5, which give each a tree and a number.
TreeNodes ReadNodes(OnnxCall& call, Places* places) {
  TreeNodes nodes;
  *places = ReadTests(call, &nodes);
  const size_t count = nodes.count();
  const Integers trees = call.Ints("nodes_treeids");
  const Integers yes = call.Ints("nodes_truenodeids");
  const Integers no = call.Ints("nodes_falsenodeids");
  nodes.features = call.Ints("nodes_featureids");
  nodes.splits = Numbers(call, "nodes_values");
  nodes.missing = call.Ints("nodes_missing_value_tracks_true");
  CheckCount(call, "nodes_truenodeids", yes.size(), count);
  CheckCount(call, "nodes_falsenodeids", no.size(), count);
  CheckCount(call, "nodes_featureids", nodes.features.size(), count);
  CheckCount(call, "nodes_values", nodes.splits.size(), count);
  CheckCount(call, "nodes_missing_value_tracks_true", nodes.missing.size(),
             count, true);
  for (size_t i = 0; i < count && call.ok(); ++i) {
    const bool leaf = nodes.tests[i] == TreeTest::kLeaf;
    const auto self = static_cast<int64_t>(i);
    const auto child = [&](const char* name, int64_t node) {
      return leaf ? self : PlaceOf(call, *places, name, trees[i], node);
    };
    nodes.yes.push_back(child("nodes_truenodeids", yes[i]));
    nodes.no.push_back(child("nodes_falsenodeids", no[i]));
    if (leaf) nodes.features[i] = 0;
  }
  if (call.ok()) FindRoots(call, &nodes);
  return nodes;
}

// `what`: target or class, which attributes' names begin with.
LeafWeights ReadWeights(OnnxCall& call, const std::string& what,
                        const Places& places, int64_t width) {
  LeafWeights leaves;
  leaves.width = width;
  const std::string trees_name = what + "_treeids";
  const Integers trees = call.Ints(trees_name);
  const Integers numbers = call.Ints(what + "_nodeids");
  leaves.targets = call.Ints(what + "_ids");
  leaves.weights = Numbers(call, what + "_weights");
  CheckCount(call, "a leaf's node", numbers.size(), trees.size());
  CheckCount(call, "a leaf's target", leaves.targets.size(), trees.size());
  CheckCount(call, "a leaf's weight", leaves.weights.size(), trees.size());
  for (size_t i = 0; i < trees.size() && call.ok(); ++i) {
    leaves.nodes.push_back(
        PlaceOf(call, places, trees_name.c_str(), trees[i], numbers[i]));
  }
  return leaves;
}

// The numbers, of which there are as many as targets, one or none, added.
Expression WithBase(OnnxCall& call, const Expression& scores,
                    const std::vector<double>& base, int64_t width) {
  if (base.empty()) return scores;
  if (base.size() != 1) {
    CheckCount(call, "base_values", base.size(), static_cast<size_t>(width));
  }
  if (!call.ok()) return scores;
  return scores + Expression(call, FloatList(call, base, scores.dtype()));
}

TreeSum SumNamed(OnnxCall& call) {
  const std::string name = call.Text("aggregate_function", "SUM");
  if (name == "SUM") return TreeSum::kSum;
  if (name == "AVERAGE") return TreeSum::kAverage;
  if (name == "MIN") return TreeSum::kMin;
  if (name == "MAX") return TreeSum::kMax;
  call.Refuse(absl::StrCat(
      "aggregate_function must be SUM, AVERAGE, MIN or MAX, got '", name, "'"));
  return TreeSum::kSum;
}

void TreeEnsembleRegressor(OnnxCall& call) {
  const ir::Value x = Rows(call, call.In(0));
  const TreeSum sum = SumNamed(call);
  Places places;
  const TreeNodes nodes = ReadNodes(call, &places);
  const int64_t width = call.Int("n_targets", 1);
  const LeafWeights leaves = ReadWeights(call, "target", places, width);
  if (!call.ok()) return;
  const Expression scores(
      call,
      Together(call, nodes, leaves, LeavesOf(call, nodes, x), sum, DtypeOf(x)));
  const Expression y =
      WithBase(call, scores, Numbers(call, "base_values"), width);
  call.Out(0, Transformed(call, y.As(DataType::kFloat32),
                          call.Text("post_transform", "NONE")));
}

void TreeEnsembleClassifier(OnnxCall& call) {
  const ir::Value x = Rows(call, call.In(0));
  const ClassLabels labels =
      ReadLabels(call, "classlabels_int64s", "classlabels_strings");
  Places places;
  const TreeNodes nodes = ReadNodes(call, &places);
  LeafWeights leaves =
      ReadWeights(call, "class", places, static_cast<int64_t>(labels.size()));
  const std::vector<double> base = Numbers(call, "base_values");
  const std::set<int64_t> told(leaves.targets.begin(), leaves.targets.end());
  // Two classes of which one says the other, too.
  const bool one_of_two = static_cast<int64_t>(labels.size()) == 2 &&
                          told.size() == 1 && *told.begin() == 0 &&
                          base.size() <= 1;
  if (one_of_two) leaves.width = 1;
  if (!call.ok()) return;
  const Expression scores =
      WithBase(call,
               {call, Together(call, nodes, leaves, LeavesOf(call, nodes, x),
                               TreeSum::kSum, DtypeOf(x))},
               base, leaves.width);
  const Expression y = scores.As(DataType::kFloat32);
  if (!one_of_two) return OutTopClass(call, labels, y);
  const bool shares = std::all_of(leaves.weights.begin(), leaves.weights.end(),
                                  [](double weight) { return weight >= 0; });
  OutOneOfTwo(call, labels, y, shares ? 0.5 : 0.0, shares);
}

// The nodes of TreeEnsemble: first the ones that ask, then the leaves.
TreeNodes ReadInner(OnnxCall& call, size_t leaves) {
  TreeNodes nodes;
  const auto tensor = [&](const char* name) {
    const ForeignAttr* const attr = call.op().attr(name);
    return attr == nullptr ? std::vector<double>() : TensorNumbers(call, *attr);
  };
  nodes.features = call.Ints("nodes_featureids");
  nodes.splits = tensor("nodes_splits");
  nodes.yes = call.Ints("nodes_truenodeids");
  nodes.no = call.Ints("nodes_falsenodeids");
  nodes.missing = call.Ints("nodes_missing_value_tracks_true");
  nodes.members = tensor("membership_values");
  nodes.roots = call.Ints("tree_roots");
  const Integers yes_leafs = call.Ints("nodes_trueleafs");
  const Integers no_leafs = call.Ints("nodes_falseleafs");
  const std::vector<double> modes = tensor("nodes_modes");
  const size_t count = modes.size();
  CheckCount(call, "nodes_featureids", nodes.features.size(), count);
  CheckCount(call, "nodes_splits", nodes.splits.size(), count);
  CheckCount(call, "nodes_truenodeids", nodes.yes.size(), count);
  CheckCount(call, "nodes_falsenodeids", nodes.no.size(), count);
  CheckCount(call, "nodes_trueleafs", yes_leafs.size(), count);
  CheckCount(call, "nodes_falseleafs", no_leafs.size(), count);
  CheckCount(call, "nodes_missing_value_tracks_true", nodes.missing.size(),
             count, true);
  if (!call.ok()) return nodes;
  for (size_t i = 0; i < count; ++i) {
    constexpr auto kLast = static_cast<double>(TreeTest::kMember);
    if (!(modes[i] >= 0 && modes[i] <= kLast)) {
      call.Fail(
          ArgumentError("nodes_modes", "in [0, 6]", absl::StrCat(modes[i])));
      return nodes;
    }
    nodes.tests.push_back(
        static_cast<TreeTest>(static_cast<int64_t>(modes[i])));
    const auto first_leaf = static_cast<int64_t>(count);
    if (yes_leafs[i] != 0) nodes.yes[i] += first_leaf;
    if (no_leafs[i] != 0) nodes.no[i] += first_leaf;
  }
  for (size_t i = 0; i < leaves; ++i) nodes.AddLeaf();
  return nodes;
}

void TreeEnsemble(OnnxCall& call) {
  const ir::Value x = Rows(call, call.In(0));
  LeafWeights leaves;
  leaves.targets = call.Ints("leaf_targetids");
  leaves.width = call.Int("n_targets", 1);
  const ForeignAttr* const weights = call.op().attr("leaf_weights");
  if (weights != nullptr) leaves.weights = TensorNumbers(call, *weights);
  CheckCount(call, "leaf_targetids", leaves.targets.size(),
             leaves.weights.size());
  const TreeNodes nodes = ReadInner(call, leaves.weights.size());
  const int64_t sum = call.Int("aggregate_function", 1);
  const int64_t transform = call.Int("post_transform", 0);
  static constexpr const char* kTransforms[] = {"NONE", "SOFTMAX", "LOGISTIC",
                                                "SOFTMAX_ZERO", "PROBIT"};
  if (call.ok() && (sum < 0 || sum > 3 || transform < 0 || transform > 4)) {
    call.Fail(ArgumentError("aggregate_function and post_transform",
                            "in [0, 3] and [0, 4]",
                            absl::StrCat(sum, " and ", transform)));
  }
  if (!call.ok()) return;
  for (size_t i = 0; i < leaves.weights.size(); ++i) {
    leaves.nodes.push_back(
        static_cast<int64_t>(nodes.count() - leaves.weights.size() + i));
  }
  const ir::Value y = Together(call, nodes, leaves, LeavesOf(call, nodes, x),
                               static_cast<TreeSum>(sum), DtypeOf(x));
  call.Out(0, Transformed(call, y, kTransforms[transform]));
}

constexpr OnnxLowering kLowerings[] = {
    {"TreeEnsemble", TreeEnsemble, kOnnxMl},
    {"TreeEnsembleClassifier", TreeEnsembleClassifier, kOnnxMl},
    {"TreeEnsembleRegressor", TreeEnsembleRegressor, kOnnxMl},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxTreeLowerings() { return kLowerings; }

}  // namespace switchyard::static_graph

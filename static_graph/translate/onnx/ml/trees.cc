// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/ml/trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "static_graph/translate/onnx/ml/scores.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/sequence/sequences.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The greatest number of steps from a root to a leaf. Fails for a node that two
// ways lead to, since a cycle has one.
int64_t DepthOf(OnnxCall& call, const TreeNodes& nodes) {
  std::vector<bool> reached(nodes.count());
  Integers level = nodes.roots;
  int64_t depth = 0;
  for (;; ++depth) {
    Integers below;
    for (const int64_t node : level) {
      if (node < 0 || node >= static_cast<int64_t>(nodes.count())) {
        call.Fail(RangeError("a node's child",
                             absl::StrCat("in [0, ", nodes.count(), ")"),
                             absl::StrCat(node)));
        return 0;
      }
      const auto at = static_cast<size_t>(node);
      if (nodes.tests[at] == TreeTest::kLeaf) continue;
      if (reached[at]) {
        call.Fail(ArgumentError("nodes", "trees", "a node with two parents"));
        return 0;
      }
      reached[at] = true;
      below.push_back(nodes.yes[at]);
      below.push_back(nodes.no[at]);
    }
    if (below.empty()) return depth;
    level = std::move(below);
  }
}

// The tables of nodes, as values.
struct Tables {
  ir::Value features, splits, yes, no;
  ir::Value tests;    // Null where all nodes ask for the same.
  ir::Value missing;  // Null where no NaN goes the way `yes`.
  // [sets, numbers], NaN where a set has fewer, and each node's set; null where
  // none asks for members.
  ir::Value members, sets;
};

void AddMembers(OnnxCall& call, const TreeNodes& nodes, DataType dtype,
                Tables* tables) {
  std::vector<std::vector<double>> sets(1);
  for (const double number : nodes.members) {
    if (std::isnan(number)) {
      sets.emplace_back();
    } else {
      sets.back().push_back(number);
    }
  }
  size_t widest = 1;
  for (const auto& set : sets) widest = std::max(widest, set.size());
  std::vector<double> all;
  for (std::vector<double>& set : sets) {
    set.resize(widest, kNone);
    all.insert(all.end(), set.begin(), set.end());
  }
  Integers of_nodes;
  int64_t asked = 0;
  for (const TreeTest test : nodes.tests) {
    of_nodes.push_back(test == TreeTest::kMember ? asked++ : 0);
  }
  if (asked + 1 != static_cast<int64_t>(sets.size())) {
    return call.Fail(ArgumentError("membership_values",
                                   absl::StrCat("sets of ", asked, " nodes"),
                                   absl::StrCat(sets.size() - 1)));
  }
  tables->sets = IntegerList(call, of_nodes);
  tables->members = Reshape(
      call, FloatList(call, all, dtype),
      {static_cast<int64_t>(sets.size()), static_cast<int64_t>(widest)});
}

// Returns the tests that nodes make, each once.
std::vector<TreeTest> TestsOf(const TreeNodes& nodes) {
  std::vector<TreeTest> tests;
  for (const TreeTest test : nodes.tests) {
    if (test == TreeTest::kLeaf) continue;
    if (std::find(tests.begin(), tests.end(), test) == tests.end()) {
      tests.push_back(test);
    }
  }
  return tests;
}

Tables TablesOf(OnnxCall& call, const TreeNodes& nodes, DataType dtype) {
  Tables tables;
  tables.features = IntegerList(call, nodes.features);
  tables.splits = FloatList(call, nodes.splits, dtype);
  tables.yes = IntegerList(call, nodes.yes);
  tables.no = IntegerList(call, nodes.no);
  const std::vector<TreeTest> tests = TestsOf(nodes);
  if (tests.size() > 1) {
    Integers numbers;
    for (const TreeTest test : nodes.tests) {
      numbers.push_back(static_cast<int64_t>(test));
    }
    tables.tests = IntegerList(call, numbers);
  }
  const bool tracked = std::any_of(nodes.missing.begin(), nodes.missing.end(),
                                   [](int64_t flag) { return flag != 0; });
  if (tracked) tables.missing = IntegerList(call, nodes.missing);
  if (std::find(tests.begin(), tests.end(), TreeTest::kMember) != tests.end()) {
    AddMembers(call, nodes, dtype, &tables);
  }
  return tables;
}

// Whether one test holds. NaN passes none.
Expression Holds(OnnxCall& call, TreeTest test, const Tables& tables,
                 const Expression& x, ir::Value node) {
  if (test == TreeTest::kMember) {
    const ir::Value sets = At(call, tables.sets, node);
    const Expression equal =
        x.Unsqueeze({2}) == Expression(call, At(call, tables.members, sets));
    return equal.Of("any", {{"axis", Integers{-1}}});
  }
  const Expression split(call, At(call, tables.splits, node));
  switch (test) {
    case TreeTest::kAtMost:
      return x <= split;
    case TreeTest::kBelow:
      return x < split;
    case TreeTest::kAtLeast:
      return x >= split;
    case TreeTest::kAbove:
      return x > split;
    case TreeTest::kEqual:
      return x == split;
    default:
      return (x < split).Or(x > split);
  }
}

// The nodes one step below.
ir::Value Step(OnnxCall& call, const std::vector<TreeTest>& tests,
               const Tables& tables, ir::Value x, ir::Value node) {
  const Expression value(
      call, call.Call("take_along_axis", {x, At(call, tables.features, node)},
                      {{"axis", 1}}));
  Expression way = Holds(call, tests[0], tables, value, node);
  for (size_t i = 1; i < tests.size() && call.ok(); ++i) {
    const Expression asked =
        Expression(call, At(call, tables.tests, node)) ==
        static_cast<double>(static_cast<int64_t>(tests[i]));
    way = asked.Where(Holds(call, tests[i], tables, value, node), way);
  }
  if (tables.missing) {
    const Expression tracked =
        Expression(call, At(call, tables.missing, node)) > 0.0;
    way = way.Or(value.Of("isnan").And(tracked));
  }
  return way.Where({call, At(call, tables.yes, node)},
                   {call, At(call, tables.no, node)});
}

}  // namespace

int64_t TreeNodes::AddLeaf() {
  const auto number = static_cast<int64_t>(count());
  tests.push_back(TreeTest::kLeaf);
  features.push_back(0);
  splits.push_back(0);
  yes.push_back(number);
  no.push_back(number);
  if (!missing.empty()) missing.push_back(0);
  return number;
}

ir::Value LeavesOf(OnnxCall& call, const TreeNodes& nodes, ir::Value x) {
  const int64_t depth = DepthOf(call, nodes);
  if (!call.ok()) return ir::Value();
  const DataType dtype = DtypeOf(x);
  const Expression start(call, Filled(call, x, 1, 0, DataType::kInt64));
  const Expression roots =
      start + Expression(call, IntegerList(call, nodes.roots));
  if (depth == 0) return roots;
  const std::vector<TreeTest> tests = TestsOf(nodes);
  const Tables tables = TablesOf(call, nodes, dtype);
  CountedLoop loop;
  loop.count = Number(call, static_cast<double>(depth), DataType::kInt64);
  loop.carried = {roots};
  loop.step = [&](OnnxCall& inside, ir::Value,
                  absl::Span<const ir::Value> node) -> absl::StatusOr<Values> {
    const Values next = {Step(inside, tests, tables, x, node[0])};
    SY_RETURN_IF_ERROR(inside.status());
    return next;
  };
  const Values results = Repeat(call, loop);
  return call.ok() ? results[0] : ir::Value();
}

namespace {

// The number that stands for a leaf which says nothing of a target.
double Nothing(TreeSum sum) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (sum == TreeSum::kMin) return kInfinity;
  return sum == TreeSum::kMax ? -kInfinity : 0.0;
}

// A row of targets for each leaf that has weights, after one that has none.
// Sets the row of each node.
std::vector<double> RowsOf(const LeafWeights& leaves, TreeSum sum,
                           Integers* row_of) {
  const auto width = static_cast<size_t>(leaves.width);
  std::vector<double> rows(width, Nothing(sum));
  int64_t count = 1;
  for (size_t i = 0; i < leaves.nodes.size(); ++i) {
    int64_t& row = (*row_of)[static_cast<size_t>(leaves.nodes[i])];
    if (row == 0) {
      row = count++;
      rows.resize(rows.size() + width, Nothing(sum));
    }
    double& at = rows[static_cast<size_t>(row) * width +
                      static_cast<size_t>(leaves.targets[i])];
    const double weight = leaves.weights[i];
    if (sum == TreeSum::kMin) {
      at = std::min(at, weight);
    } else if (sum == TreeSum::kMax) {
      at = std::max(at, weight);
    } else {
      at += weight;
    }
  }
  return rows;
}

}  // namespace

ir::Value Together(OnnxCall& call, const TreeNodes& nodes,
                   const LeafWeights& leaves, ir::Value reached, TreeSum sum,
                   DataType dtype) {
  if (!call.ok()) return ir::Value();
  for (size_t i = 0; i < leaves.nodes.size(); ++i) {
    if (leaves.targets[i] >= 0 && leaves.targets[i] < leaves.width) continue;
    call.Fail(RangeError("a leaf's target",
                         absl::StrCat("in [0, ", leaves.width, ")"),
                         absl::StrCat(leaves.targets[i])));
    return ir::Value();
  }
  Integers row_of(nodes.count(), 0);
  const std::vector<double> rows = RowsOf(leaves, sum, &row_of);
  const ir::Value table =
      Reshape(call, FloatList(call, rows, dtype), {-1, leaves.width});
  const Expression all(
      call, At(call, table, At(call, IntegerList(call, row_of), reached)));
  const char* const how = sum == TreeSum::kMin   ? "min"
                          : sum == TreeSum::kMax ? "max"
                                                 : "sum";
  const Expression total = all.Of(how, {{"axis", Integers{1}}});
  if (sum == TreeSum::kSum) return total;
  if (sum == TreeSum::kAverage) {
    return total / static_cast<double>(nodes.roots.size());
  }
  return (total == Nothing(sum)).Where(total.Number(0.0), total);
}

}  // namespace switchyard::static_graph

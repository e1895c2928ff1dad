// SPDX-License-Identifier: Apache-2.0
// PassInfo: a row of a table of passes, as constant data: what creates passes
// by name and what the reference of passes is printed from. The table itself is
// static_graph/passes/passes.h.
#ifndef SWITCHYARD_STATIC_GRAPH_PASS_PASS_INFO_H_
#define SWITCHYARD_STATIC_GRAPH_PASS_PASS_INFO_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "static_graph/pass/pass.h"

namespace switchyard::static_graph {

// Runs a pure operation on constants: one kConstant attribute for each operand,
// in order; returns one for each result. The executor supplies it, for passes
// cannot run operators.
using FoldFunction = std::function<absl::StatusOr<std::vector<ir::Attribute>>(
    const ir::Operation& op, absl::Span<const ir::Attribute> operands)>;

// Returns whether the operations `made`, which a fusion has built, may take the
// place of `parts`; gives them the policies of the parts if so
// (kPolicyAttr, static_graph/dialect/kernel_attributes.h). The last of `made`
// that is no view stands for all parts, the others prepare it. The code that
// selects kernels supplies it.
using ReplaceRule =
    std::function<absl::StatusOr<bool>(absl::Span<ir::Operation* const> parts,
                                       absl::Span<ir::Operation* const> made)>;

// Returns whether a kernel may serve an operation as it stands. The code that
// selects kernels supplies it.
using KernelRule = std::function<bool(const ir::Operation& op)>;

// The functions that passes take from outside.
struct PassEnvironment {
  FoldFunction fold;        // Null: nothing is folded.
  ReplaceRule may_replace;  // Null: fusions ask nobody.
  KernelRule has_kernel;    // Null: every operation has one.
};

// One pass of the table: its name, what it keeps, its description, and how it
// is made.
struct PassInfo {
  const char* name;
  Exactness exactness;
  const char* summary;  // One line.
  const char* details;  // What it does not do; a paragraph.
  std::unique_ptr<Pass> (*create)(const PassEnvironment& environment);
};

// The passes of a list like "dead_code_elimination,constant_folding", in its
// order; nothing for an empty list. NotFoundError, naming the passes that there
// are, for a name that is not in the table.
absl::StatusOr<std::vector<std::unique_ptr<Pass>>> CreatePasses(
    absl::Span<const PassInfo> table, std::string_view names,
    const PassEnvironment& environment);

// The reference page of the table, in Markdown.
std::string PassReference(absl::Span<const PassInfo> table);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASS_PASS_INFO_H_

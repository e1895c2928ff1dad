// SPDX-License-Identifier: Apache-2.0
// From in-place variants to value form, on the dialect `op`. The way back is
// the pass inplace (inplace.h), on the dialect `kernel`.
#ifndef SWITCHYARD_STATIC_GRAPH_PASSES_TO_VALUE_FORM_H_
#define SWITCHYARD_STATIC_GRAPH_PASSES_TO_VALUE_FORM_H_

#include <vector>

#include "framework/base/hash_map.h"
#include "static_graph/pass/pass.h"
#include "static_graph/passes/shared_memory.h"

namespace switchyard::static_graph {

// Replaces op.relu_(%x) by %y = op.relu(%x) and makes what uses %x afterwards
// use %y: the pass to_value_form. Values that lie in the same memory follow
// (static_graph/dialect/alias_analysis.h):
//   - a view of %x that is used afterwards is taken again, of %y;
//   - where %x is a view itself, its base becomes what %y makes of it
//     (view_inverse.h). Where that can't be told, the base and its other views
//     may not be used afterwards;
//   - a reshape of a view that is not in row-major order is a copy, as in eager
//     code (view_layout.h). Where the extents of a run decide whether it is
//     one, neither may be used after the other was written.
// memory.write(%x, %v) makes %x what %v is. A written state is one that the
// program updates. A written feed is a value of the program's: the caller's
// tensor stays as it is. A loop's argument that its body writes is, after the
// loop, what the value is that the loop began with, if the body passes the
// argument on; otherwise that value may not be used any more.
//
// Errors name the operation and its location: InvalidArgument for a write, in a
// branch or loop, to what was made outside; to an argument of a loop that lies
// in memory which the loop knows by another name too; to a result of control
// flow, which may be one value or another; and for a use of what was lost.
class ToValueForm : public Pass {
 public:
  std::string_view name() const override { return "to_value_form"; }
  Exactness exactness() const override { return Exactness::kExact; }
  bool takes_inplace_variants() const override { return true; }
  absl::StatusOr<bool> Run(ir::Program& program) override;
};

// Does what the pass does in a program that is still being built. Adds to
// `current`, for every value that lies in written memory, the one that has its
// elements at the end; null for one that was lost; and to `recorded` the values
// that have all of a memory that was written with its gradient. What was
// written without keeps the gradient that it had. No state is updated.
absl::Status ConvertToValueForm(ir::Program& program,
                                HashMap<ir::Value, ir::Value>* current,
                                HashSet<ir::Value>* recorded);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASSES_TO_VALUE_FORM_H_

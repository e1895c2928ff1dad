// SPDX-License-Identifier: Apache-2.0
// Lower: from the dialect `op` to the dialect `kernel`. Each call gets the
// kernel that phi/selection gives it, or the candidates that are still possible
// while a Dim is unknown; composites are written out; every transform becomes
// an operation of its own. It is the static counterpart of phi/dispatch, and
// makes the same choice for the same resolved inputs. What runs the result is
// static_graph/executor; which memory results take is decided by
// assign_state_memory.h here and by the in-place pass.
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_LOWER_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_LOWER_H_

#include "framework/base/status.h"
#include "framework/types/place.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/policy.h"
#include "static_graph/ir/program.h"
#include "static_graph/lowering/relaxed_choices.h"

namespace switchyard::static_graph {

// The options of Lower().
struct LoweringOptions {
  phi::selection::Policy policy;
  // Where feeds and states are, and where operators without tensors run.
  Place place;
  // The ways in which a run may differ from eager calls. Where they allow
  // kernels that vary with the number of threads, `policy` need not.
  RelaxedChoices relaxed;

  // Returns the policy that the choices of kernels follow.
  phi::selection::Policy admitted() const {
    phi::selection::Policy admitted = policy;
    if (relaxed.thread_variant == ThreadVariant::kAllow) {
      admitted.allow_thread_variant = true;
    }
    return admitted;
  }
};

// A new program in the same context; `program` stays as it is. Feeds, states,
// fetches and new states keep names and types.
//
// An operation runs on the place that its attribute op_device names, which is
// the program's or the host. The options' policy and what its attribute
// `policy` adds decide on its kernel (phi/selection/operation_policy.h).
//
// Errors begin with the operator's name: NotFound where no kernel fits or none
// is in `table`, TypeError for a dtype that none has, ArgumentError for an
// op_device of another place and for a policy of other words or names.
absl::StatusOr<ir::Program> Lower(const ir::Program& program,
                                  const phi::KernelTable& table,
                                  const LoweringOptions& options = {});
// As Lower(), of `program` itself, which after an error is fit to be destroyed
// alone.
absl::Status LowerInPlace(ir::Program* program, const phi::KernelTable& table,
                          const LoweringOptions& options);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_LOWER_H_

// SPDX-License-Identifier: Apache-2.0
// Launches of a frame that are checked: each fails if it makes NaN or infinity
// of finite numbers.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHECKED_LAUNCHES_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHECKED_LAUNCHES_H_

#include "absl/functional/function_ref.h"
#include "framework/base/status.h"
#include "phi/core/kernel_context.h"
#include "static_graph/executor/chains/elementwise_chain.h"
#include "static_graph/executor/frame/frame_tensors.h"
#include "static_graph/executor/run_profile.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// Calls `run`, which launches a step with these arguments, and checks what it
// wrote. A transform that was chosen when shapes were known (a copy, a cast) is
// none of the program's operations, and is not checked.
absl::Status RunChecked(const Step& step, const phi::TensorArgs& args,
                        absl::FunctionRef<absl::Status()> run);

// Runs the members of a chain one by one, over whole tensors, each checked.
// `profile` may be null. An error is that of a member, which `failed` is then.
absl::Status RunMembersChecked(const ElementwiseChain& chain,
                               const ShapeSpecialization& made,
                               RunProfile* profile, FrameTensors* tensors,
                               const Step** failed);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHECKED_LAUNCHES_H_

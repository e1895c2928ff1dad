// SPDX-License-Identifier: Apache-2.0
// FormChains: makes one step of elementwise launches that follow each other
// (elementwise_chain.h), where they move more memory than the cache holds.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHAINS_FORM_CHAINS_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHAINS_FORM_CHAINS_H_

#include <cstdint>

#include "framework/base/status.h"
#include "static_graph/executor/shape_specialization.h"
#include "static_graph/executor/step_list.h"

namespace switchyard::static_graph {

// The sizes by which chains are formed and cut.
struct ChainLimits {
  // Launches whose tensors together have fewer bytes stay as they are: the
  // cache keeps the tensors that they hand on.
  int64_t min_bytes = int64_t{1} << 20;
  // All tensors of a block together; a part of a cache of the second level.
  int64_t block_bytes = int64_t{1} << 18;
  // Elements of a block at most, and of the terms of reductions: a kernel over
  // them is not cut for threads.
  int64_t max_elements = 16384;
};

// Replaces such launches in `made` by chains. The results of `made` are marked,
// and its memory is not planned yet. A chain takes the place of its last
// launch. Views and small steps between its launches move before it; none of
// them reads a result of the chain. The chain takes in reductions of its
// results along axes after the one that is cut. Launches keep their kernels and
// their order. A tensor that only a chain reads gets the storage kBlock.
// `list`, which may be null, gets which calls became one step. SizeError where
// a block's memory leaves int64.
absl::Status FormChains(ShapeSpecialization* made, StepList* list,
                        const ChainLimits& limits = {});

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHAINS_FORM_CHAINS_H_

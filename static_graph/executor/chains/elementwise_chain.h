// SPDX-License-Identifier: Apache-2.0
// ElementwiseChain: launches of elementwise kernels that are done together,
// block by block of their results, so that the result of one is still in the
// cache when the next one reads it. The kernels are those of the launches, over
// parts of their tensors: an element of theirs has the same bits wherever it
// lies, so the results are the same.
//
//   a = x + y          for each block:  a' = x[block] + y[block]
//   b = max(a, z)                       b' = max(a', z[block])
//   c = b * b                           c[block] = b' * b'
//   d = sum(c, [1])                     d[block] = sum(c[block], [1])
//
// A reduction of what the chain computes takes part where a block has all terms
// of its elements: the kernel adds them up in the order that it always has.
//
// Chains are formed by form_chains.h and run by chain_run.h.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHAINS_ELEMENTWISE_CHAIN_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHAINS_ELEMENTWISE_CHAIN_H_

#include <cstdint>
#include <vector>

#include "framework/types/shape.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// Says what is done and how it is cut. All results have one shape; inputs
// broadcast to it. A reduction's result has the axes of blocks, and is read by
// no member. Immutable.
struct ElementwiseChain {
  // A tensor that only the chain reads: of its elements no more than a block
  // exists at a time, in the scratch memory of the thread that computes it.
  struct Inner {
    TensorId tensor = kNoTensor;
    int64_t offset = 0;  // Bytes.
  };

  std::vector<Step> members;  // Launches, in order.
  // The results of its reductions.
  std::vector<TensorId> reduced;
  Shape shape;
  // A block is `rows` indices of `axis` (the last block of an axis may have
  // fewer), one of each axis before it and all of those after it.
  int axis = 0;
  int64_t rows = 1;
  std::vector<Inner> inner;   // Ordered by tensor.
  int64_t scratch_bytes = 0;  // Of one thread.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHAINS_ELEMENTWISE_CHAIN_H_

// SPDX-License-Identifier: Apache-2.0
// ChainRun: runs an elementwise chain (elementwise_chain.h) in a frame.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHAINS_CHAIN_RUN_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHAINS_CHAIN_RUN_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "static_graph/executor/chains/elementwise_chain.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// The threads of a run take blocks, each with tensors over the block at hand,
// which are made once. Used by one run at a time.
class ChainRun {
 public:
  // Borrows both.
  ChainRun(const ElementwiseChain& chain, const ShapeSpecialization& made);
  ~ChainRun();
  ChainRun(const ChainRun&) = delete;
  ChainRun& operator=(const ChainRun&) = delete;

  // Runs all members over all blocks. `tensors` are the frame's, by TensorId.
  // An error is that of the first member that fails, without its name; other
  // blocks are done all the same. `times`, unless it is null, gets the
  // nanoseconds of each member, of all threads.
  absl::Status Run(absl::Span<const DenseTensor> tensors,
                   std::vector<int64_t>* times = nullptr);

  // Returns the member that failed in the last run.
  const Step& failed() const { return chain_.members[failed_]; }

 private:
  class Lane;
  // A tensor of the chain.
  struct Tensor {
    TensorId id = kNoTensor;
    int64_t scratch = -1;  // Elements into scratch memory; -1: the frame's.
    int axis = -1;         // Its own axis that is cut; -1: it broadcasts there.
    int lead = 0;          // Axes of the results before its own.
    // Elements from one block to the next, by axis of the results up to the cut
    // one: 0 where it broadcasts.
    std::array<int64_t, kMaxRank> steps = {};
  };

  void AddTensor(TensorId id);
  std::unique_ptr<Lane> TakeLane(absl::Span<const DenseTensor> tensors,
                                 absl::Status* status);
  void RunBlocks(int64_t begin, int64_t end,
                 absl::Span<const DenseTensor> tensors, bool timed);
  void Note(size_t member, const absl::Status& status);

  const ElementwiseChain& chain_;
  const ShapeSpecialization& made_;
  std::vector<Tensor> tensors_;
  // Positions in `tensors_` of the arguments of all members, one after the
  // other: inputs, then the output.
  std::vector<int> arguments_;
  int64_t blocks_of_axis_ = 1;
  int64_t blocks_ = 1;
  int64_t run_ = 0;

  std::mutex mutex_;
  // Guarded by mutex_ while a run goes on.
  std::vector<std::unique_ptr<Lane>> idle_;
  absl::Status status_;
  size_t failed_ = 0;
  std::vector<int64_t> times_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_CHAINS_CHAIN_RUN_H_

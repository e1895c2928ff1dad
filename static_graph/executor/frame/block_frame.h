// SPDX-License-Identifier: Apache-2.0
// BlockFrame: the values and memory of one run for one block of a program.
// executor.h runs a whole program, with its feeds and states.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_BLOCK_FRAME_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_BLOCK_FRAME_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "phi/core/kernel_context.h"
#include "static_graph/executor/frame/frame_contexts.h"
#include "static_graph/executor/frame/frame_tensors.h"
#include "static_graph/executor/run_options.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

class ChainRun;  // chain_run.h

// Holds one run's values and memory for one block of a program: tensors over
// planned memory and, ready to be called, the kernel contexts of a flat list of
// steps. It is made once per ShapeSpecialization and used for many runs, by one
// thread at a time; a warm step is a call through a function pointer. A
// specialization that only this frame has may change its extents between runs.
//
//   FrameTensors& tensors = frame->tensors();
//   tensors.Bind(root, tensor);  // Each kBound root; BindFresh() each kFresh.
//   tensors.BindPacked(id, tensor);  // Each kPacked one that is out of date.
//   SY_RETURN_IF_ERROR(frame->Run(options));
//   tensors.Release();
class BlockFrame {
 public:
  // Borrows its arguments, which outlive it. ResourceExhausted if there is no
  // memory.
  static absl::StatusOr<std::unique_ptr<BlockFrame>> Make(
      const ShapeSpecialization& specialization,
      absl::Span<const DenseTensor> constants, FrameContexts* contexts);
  BlockFrame(const BlockFrame&) = delete;
  BlockFrame& operator=(const BlockFrame&) = delete;

  const ShapeSpecialization& specialization() const { return specialization_; }
  FrameTensors& tensors() { return tensors_; }
  const FrameTensors& tensors() const { return tensors_; }

  // Follows the specialization, some of whose steps, by number, have other
  // kernels now (resizer.h). Between runs; `contexts` are those of Make().
  void Relaunch(absl::Span<const int> steps, FrameContexts* contexts);

  // Runs all steps; everything is bound. Errors begin with the operator's name;
  // steps after the failing one did not run. `options` outlives the run.
  absl::Status Run(const RunOptions& options);

 private:
  struct FrameStep;
  using StepFunction = absl::Status (*)(BlockFrame&, FrameStep&);
  struct FrameStep {
    phi::KernelThunk thunk;      // Null where `function` runs the step: control
    phi::KernelContext* launch;  // flow, which has no launch either, and what
    StepFunction function;       // leaves a receipt.
    const Step* step;
    int first_child;  // Of control flow: its blocks in children_. Of a chain:
                      // its number in chains_. Of a call that replaces
                      // elements: kAlongAxis, or 0.
  };

  static constexpr int kAlongAxis = 1;

  explicit BlockFrame(const ShapeSpecialization& specialization)
      : specialization_(specialization), tensors_(specialization) {}

  void MakeLaunches(FrameContexts* contexts);
  absl::Status MakeSteps(absl::Span<const DenseTensor> constants,
                         FrameContexts* contexts);

  absl::Status RunWatched();
  absl::Status RunStep(FrameStep& step) {
    return step.thunk != nullptr ? step.thunk(*step.launch)
                                 : step.function(*this, step);
  }
  static absl::Status FallBack(BlockFrame& frame, FrameStep& step);
  static absl::Status Replace(BlockFrame& frame, FrameStep& step);

  static absl::Status Chain(BlockFrame& frame, FrameStep& step);
  absl::Status RunChainWatched(const FrameStep& step);
  // Returns the step of an error: of a chain the member that failed.
  const Step& FailedOf(const Step& step) {
    return failed_ == nullptr ? step : *std::exchange(failed_, nullptr);
  }

  static absl::Status If(BlockFrame& frame, FrameStep& step);
  static absl::Status While(BlockFrame& frame, FrameStep& step);
  // Runs block `number` of a control flow step over `own` values and what it
  // captures.
  absl::Status RunChild(const FrameStep& step, int number,
                        absl::Span<const TensorId> own);

  const ShapeSpecialization& specialization_;
  const RunOptions* options_ = nullptr;  // Of the current run.
  bool asynchronous_ = false;            // Some step is on such a device.
  FrameTensors tensors_;
  std::vector<const TensorBase*> inputs_;  // Of all launches, flat.
  std::vector<TensorBase*> outputs_;
  std::vector<phi::KernelContext> launches_;
  std::vector<FrameStep> steps_;
  std::vector<std::unique_ptr<BlockFrame>> children_;
  std::vector<std::shared_ptr<ChainRun>> chains_;
  const Step* failed_ = nullptr;  // Of a chain, while its error is handed on.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_BLOCK_FRAME_H_

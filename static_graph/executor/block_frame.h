// SPDX-License-Identifier: Apache-2.0
// BlockFrame: the values and memory of one run for one block of a program.
// executor.h runs a whole program, with its feeds and states.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_BLOCK_FRAME_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_BLOCK_FRAME_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/device/device_context.h"
#include "framework/tensor/owned_tensor.h"
#include "phi/core/kernel_context.h"
#include "static_graph/executor/run_options.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

class ChainRun;  // chain_run.h

// Owns the contexts of a frame's kernels: one for each backend and place, made
// at the first Get().
class FrameContexts {
 public:
  // `provider` is a constant of the backend.
  DeviceContext& Get(const ContextProvider* provider, Place place);

 private:
  struct Entry {
    const ContextProvider* provider;
    Place place;
    std::unique_ptr<DeviceContext> context;
  };
  std::vector<Entry> entries_;
};

// Holds one run's values and memory for one block of a program: tensors over
// planned memory and, ready to be called, the kernel contexts of a flat list of
// steps. It is made once per ShapeSpecialization and used for many runs, by one
// thread at a time; a warm step is a call through a function pointer. A
// specialization that only this frame has may change its extents between runs.
//
//   frame->Bind(root, tensor);   // Each kBound root; BindFresh() each kFresh.
//   frame->BindPacked(id, tensor);  // Each kPacked one that is out of date.
//   SY_RETURN_IF_ERROR(frame->Run(options));
//   frame->Release();
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
  // Returns a dense tensor.
  const DenseTensor& tensor(TensorId id) const { return tensors_[id]; }
  // Returns a tensor that is not dense; null for one that is.
  const TensorBase* other(TensorId id) const {
    return others_.empty() ? nullptr : others_[id].get();
  }
  // Returns the tensors over memory that is not the frame's own nor the
  // program's.
  absl::Span<const TensorId> foreign() const { return foreign_; }

  // Follows the specialization, which has become one for other extents
  // (resizer.h): `changed` has the tensors of other metadata, and if `moved`
  // planned ones lie elsewhere. Between runs. ResourceExhausted if there is no
  // memory; then the frame must not run.
  absl::Status Resize(absl::Span<const TensorId> changed, bool moved);

  // Sets, before a run, the memory of a kBound or kFresh root and of all that
  // is written in place of it. `value` has the geometry that was specialized
  // for.
  void Bind(TensorId root, const DenseTensor& value);
  // Gives a kFresh root memory of its own. ResourceExhausted if there is none.
  absl::Status BindFresh(TensorId root);
  // Sets, before a run, a kBound tensor that is not dense.
  void BindOther(TensorId id, const TensorBase& value);

  // Sets the memory of a kPacked tensor, which stays from run to run.
  void BindPacked(TensorId id, const DenseTensor& value) {
    tensors_[id].SetBuffer(value.buffer());
  }

  // Runs all steps; everything is bound. Errors begin with the operator's name;
  // steps after the failing one did not run. `options` outlives the run.
  absl::Status Run(const RunOptions& options);

  // Lets go, after a run, of all memory that is not the frame's own.
  void Release();

 private:
  struct FrameStep;
  using StepFunction = absl::Status (*)(BlockFrame&, FrameStep&);
  struct FrameStep {
    phi::KernelThunk thunk;      // Null where `function` runs the step: control
    phi::KernelContext* launch;  // flow, which has no launch either, and what
    StepFunction function;       // leaves a receipt.
    const Step* step;
    int first_child;  // Of control flow: its blocks in children_. Of a chain:
                      // its number in chains_.
  };

  explicit BlockFrame(const ShapeSpecialization& specialization)
      : specialization_(specialization) {}

  absl::Status MakeTensors(absl::Span<const DenseTensor> constants);
  void MakeLaunches(FrameContexts* contexts);
  const RefPtr<Buffer>& GetMemory(Place place) const;
  // Gives planned tensors their pieces of the memory, which grows if need be.
  absl::Status PlaceTensors();
  // The tensor that kernels see; null for kNoTensor.
  TensorBase* GetBase(TensorId id);
  absl::Status MakeSteps(absl::Span<const DenseTensor> constants,
                         FrameContexts* contexts);

  absl::Status RunWatched();
  absl::Status RunStep(FrameStep& step) {
    return step.thunk != nullptr ? step.thunk(*step.launch)
                                 : step.function(*this, step);
  }
  absl::Status RunDetecting(FrameStep& step);
  // Runs a step of a fallback and notes it in the log.
  static absl::Status FallBack(BlockFrame& frame, FrameStep& step);

  // ---- Chains (frame_chains.cc) ----
  static absl::Status Chain(BlockFrame& frame, FrameStep& step);
  absl::Status RunChainWatched(const FrameStep& step);
  // Runs the members one by one, over whole tensors, each checked.
  absl::Status RunChainDetecting(const ElementwiseChain& chain);
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
  absl::Status TakeResults(const FrameStep& step, const BlockFrame& child);
  // Takes the memory from views, as their kernels expect.
  void ForgetViews();
  void SetArgument(int number, TensorId id);
  // Sets the memory of a root and of those that share it.
  void SetMemory(TensorId root, RefPtr<Buffer> memory);

  const ShapeSpecialization& specialization_;
  const RunOptions* options_ = nullptr;  // Of the current run.
  bool asynchronous_ = false;            // Some step is on such a device.
  std::vector<RefPtr<Buffer>> memory_;   // As ShapeSpecialization::memory.
  std::vector<DenseTensor> tensors_;
  // Indexed by tensor: those that are not dense; their entry in tensors_ is
  // empty.
  std::vector<OwnedTensor> others_;
  std::vector<const TensorBase*> inputs_;  // Of all launches, flat.
  std::vector<TensorBase*> outputs_;
  std::vector<phi::KernelContext> launches_;
  std::vector<FrameStep> steps_;
  std::vector<std::unique_ptr<BlockFrame>> children_;
  std::vector<std::shared_ptr<ChainRun>> chains_;
  const Step* failed_ = nullptr;  // Of a chain, while its error is handed on.
  // Indexed by tensor: those that share a kBound or kFresh root's memory by
  // being written in place of it.
  std::vector<std::vector<TensorId>> followers_;
  std::vector<TensorId> arguments_;  // kBound tensors by argument number.
  std::vector<TensorId> foreign_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_BLOCK_FRAME_H_

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/frame/block_frame.h"

#include <utility>

#include "absl/base/optimization.h"
#include "framework/device/stream.h"
#include "phi/core/anomaly/anomaly.h"
#include "static_graph/executor/chains/chain_run.h"
#include "static_graph/executor/frame/checked_launches.h"
#include "static_graph/executor/frame/frame_fallbacks.h"
#include "static_graph/executor/frame/kept_elements.h"
#include "static_graph/executor/run_profile.h"
#include "static_graph/executor/tensor_copy.h"
#include "static_graph/lowering/replaced_elements.h"

namespace switchyard::static_graph {
namespace {

// An error of `step` with the operator's name and its place in the source.
absl::Status Located(const absl::Status& status, const Step& step) {
  const absl::Status named = Annotate(status, NameOf(step.kernel, *step.call));
  if (!step.call->location) return named;
  return phi::PlaceAnomaly(ir::AtLocation(named, step.call->location), "");
}

// Copies the values that a block yields into tensors of the frame around it. A
// yielded value may be in the memory of one that is written there (a loop that
// swaps two values): all are read before any is written.
absl::Status TakeResults(const Step& step, const BlockFrame& block,
                         FrameTensors* into) {
  const ShapeSpecialization& made = block.specialization();
  const FrameTensors& child = block.tensors();
  const std::vector<TensorId>& results = made.results;
  const std::vector<TensorId>& outputs = step.outputs;
  std::vector<DenseTensor> staged(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorSlot& slot = made.tensors[results[i]];
    const TensorSlot& root = made.tensors[slot.root];
    if (root.storage != TensorSlot::Storage::kBound ||
        child.other(results[i]) != nullptr) {
      continue;
    }
    SY_ASSIGN_OR_RETURN(staged[i], ContiguousCopy(child.dense(results[i])));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    // The child's own: shared with nothing here but its elements.
    if (const TensorBase* value = child.other(results[i])) {
      into->BindOther(outputs[i], *value);
      continue;
    }
    const DenseTensor& from =
        staged[i].allocated() ? staged[i] : child.dense(results[i]);
    SY_RETURN_IF_ERROR(CopyElements(from, &into->mutable_dense(outputs[i])));
  }
  return absl::OkStatus();
}

// Whether the step replaces elements of a state, in its memory.
bool ReplacesOthers(const ShapeSpecialization& made, const Step& step) {
  if (step.instruction == nullptr || step.instruction->op == nullptr ||
      !ReplacesElements(step.instruction->op->name)) {
    return false;
  }
  const TensorSlot& out = made.tensors[step.outputs[0]];
  return made.tensors[out.root].storage == TensorSlot::Storage::kBound;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BlockFrame>> BlockFrame::Make(
    const ShapeSpecialization& specialization,
    absl::Span<const DenseTensor> constants, FrameContexts* contexts) {
  std::unique_ptr<BlockFrame> frame(new BlockFrame(specialization));
  SY_RETURN_IF_ERROR(frame->tensors_.Make(constants));
  frame->MakeLaunches(contexts);
  SY_RETURN_IF_ERROR(frame->MakeSteps(constants, contexts));
  return frame;
}

void BlockFrame::MakeLaunches(FrameContexts* contexts) {
  size_t inputs = 0;
  size_t outputs = 0;
  for (const Step& step : specialization_.steps) {
    inputs += step.inputs.size();
    outputs += step.outputs.size();
  }
  // Contexts point into these: they must not grow afterwards.
  inputs_.reserve(inputs);
  outputs_.reserve(outputs);
  launches_.reserve(specialization_.steps.size());
  for (const Step& step : specialization_.steps) {
    if (step.kernel == nullptr || step.chain != nullptr) continue;
    const size_t first_input = inputs_.size();
    const size_t first_output = outputs_.size();
    for (TensorId input : step.inputs) {
      inputs_.push_back(tensors_.Base(input));
    }
    for (TensorId output : step.outputs)
      outputs_.push_back(tensors_.Base(output));
    const phi::TensorArgs args = {
        {absl::MakeConstSpan(inputs_).subspan(first_input),
         step.input_segments},
        step.attrs,
        {absl::MakeConstSpan(outputs_).subspan(first_output),
         step.output_segments}};
    launches_.emplace_back(
        contexts->Get(step.kernel->key.backend->contexts, step.place), args,
        step.kernel);
  }
}

absl::Status BlockFrame::MakeSteps(absl::Span<const DenseTensor> constants,
                                   FrameContexts* contexts) {
  size_t launch = 0;
  for (const Step& step : specialization_.steps) {
    asynchronous_ |= IsAsynchronous(step.place);
    if (step.chain != nullptr) {
      steps_.push_back(
          {nullptr, nullptr, &Chain, &step, static_cast<int>(chains_.size())});
      chains_.push_back(
          std::make_shared<ChainRun>(*step.chain, specialization_));
      continue;
    }
    if (step.kernel != nullptr) {
      StepFunction function = step.fallback ? &FallBack : nullptr;
      int number = 0;
      if (ReplacesOthers(specialization_, step)) {
        function = &Replace;
        number = PutsAlongAxis(step.instruction->op->name) ? kAlongAxis : 0;
      }
      steps_.push_back({function == nullptr ? step.kernel->thunk : nullptr,
                        &launches_[launch++], function, &step, number});
      continue;
    }
    const bool is_if = step.instruction->kind == Instruction::Kind::kIf;
    steps_.push_back({nullptr, nullptr, is_if ? &If : &While, &step,
                      static_cast<int>(children_.size())});
    for (const auto& block : step.blocks) {
      SY_ASSIGN_OR_RETURN(std::unique_ptr<BlockFrame> child,
                          Make(*block, constants, contexts));
      children_.push_back(std::move(child));
    }
  }
  return absl::OkStatus();
}

void BlockFrame::Relaunch(absl::Span<const int> steps,
                          FrameContexts* contexts) {
  for (const int number : steps) {
    FrameStep& made = steps_[number];
    const phi::KernelDef* const kernel = made.step->kernel;
    if (made.thunk != nullptr) made.thunk = kernel->thunk;
    *made.launch = phi::KernelContext(
        contexts->Get(kernel->key.backend->contexts, made.step->place),
        *made.launch, kernel);
  }
}

absl::Status BlockFrame::Run(const RunOptions& options) {
  options_ = &options;
  if (ABSL_PREDICT_FALSE(options.watches_steps())) return RunWatched();
  for (FrameStep& step : steps_) {
    const absl::Status status = step.thunk != nullptr
                                    ? step.thunk(*step.launch)
                                    : step.function(*this, step);
    if (ABSL_PREDICT_FALSE(!status.ok())) {
      return Located(status, FailedOf(*step.step));
    }
  }
  return absl::OkStatus();
}

// Run() with a profile or with a check of each step: apart, so that other runs
// don't ask at each step.
absl::Status BlockFrame::RunWatched() {
  RunProfile* const profile = options_->profile;
  for (FrameStep& step : steps_) {
    if (step.step->chain != nullptr) {
      const absl::Status status = RunChainWatched(step);
      if (!status.ok()) return Located(status, FailedOf(*step.step));
      continue;
    }
    size_t number = 0;
    if (profile != nullptr) {
      number = profile->Begin(*step.step, specialization_, /*kept=*/false);
    }
    const bool launch = step.launch != nullptr;
    const absl::Status status = launch && options_->detect_anomaly
                                    ? RunChecked(*step.step, *step.launch,
                                                 [&] { return RunStep(step); })
                                    : RunStep(step);
    if (profile != nullptr) profile->End(number);
    if (!status.ok()) return Located(status, *step.step);
  }
  return absl::OkStatus();
}

// A step of a fallback, which is noted in the log.
absl::Status BlockFrame::FallBack(BlockFrame& frame, FrameStep& step) {
  const Step& made = *step.step;
  SY_RETURN_IF_ERROR(made.kernel->thunk(*step.launch));
  NoteFallback(made, *frame.tensors_.Base(made.outputs[0]));
  return absl::OkStatus();
}

// A step that replaces elements in memory that is not this frame's.
absl::Status BlockFrame::Replace(BlockFrame& frame, FrameStep& step) {
  const Step& made = *step.step;
  if (KeptElements* const kept = frame.options_->kept) {
    const bool along = step.first_child == kAlongAxis;
    SY_RETURN_IF_ERROR(kept->Keep(
        made, along ? &frame.tensors_.dense(made.inputs[1]) : nullptr,
        frame.tensors_.dense(made.outputs[0])));
  }
  return made.kernel->thunk(*step.launch);
}

absl::Status BlockFrame::Chain(BlockFrame& frame, FrameStep& step) {
  ChainRun& run = *frame.chains_[step.first_child];
  const absl::Status status = run.Run(frame.tensors_.all());
  if (!status.ok()) frame.failed_ = &run.failed();
  return status;
}

absl::Status BlockFrame::RunChainWatched(const FrameStep& step) {
  const ElementwiseChain& chain = *step.step->chain;
  if (options_->detect_anomaly) {
    return RunMembersChecked(chain, specialization_, options_->profile,
                             &tensors_, &failed_);
  }
  ChainRun& run = *chains_[step.first_child];
  const int64_t begin = options_->profile->Now();
  std::vector<int64_t> times;
  const absl::Status status = run.Run(tensors_.all(), &times);
  if (!status.ok()) failed_ = &run.failed();
  options_->profile->AddShares(chain.members, times, specialization_, begin);
  return status;
}

absl::Status BlockFrame::RunChild(const FrameStep& step, int number,
                                  absl::Span<const TensorId> own) {
  BlockFrame& child = *children_[step.first_child + number];
  const std::vector<TensorId>& captures = step.step->captures[number];
  const absl::Span<const TensorId> arguments = child.tensors_.arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const TensorId argument = arguments[i];
    if (argument == kNoTensor) continue;
    const TensorId from = i < own.size() ? own[i] : captures[i - own.size()];
    if (const TensorBase* value = tensors_.other(from)) {
      child.tensors_.BindOther(argument, *value);
    } else {
      child.tensors_.Bind(argument, tensors_.dense(from));
    }
  }
  // Views of the iteration before are over other memory.
  if (child.asynchronous_) child.tensors_.ForgetViews();
  return child.Run(*options_);
}

absl::Status BlockFrame::If(BlockFrame& frame, FrameStep& step) {
  SY_ASSIGN_OR_RETURN(
      const bool holds,
      ReadCondition(frame.tensors_.dense(step.step->inputs[0])));
  const int number = holds ? 0 : 1;
  BlockFrame& child = *frame.children_[step.first_child + number];
  SY_RETURN_IF_ERROR(frame.RunChild(step, number, {}));
  SY_RETURN_IF_ERROR(TakeResults(*step.step, child, &frame.tensors_));
  child.tensors_.Release();
  return absl::OkStatus();
}

absl::Status BlockFrame::While(BlockFrame& frame, FrameStep& step) {
  // The results are the loop's values from the beginning.
  const std::vector<TensorId>& values = step.step->outputs;
  for (size_t i = 0; i < values.size(); ++i) {
    const TensorId first = step.step->inputs[i];
    if (const TensorBase* value = frame.tensors_.other(first)) {
      frame.tensors_.BindOther(values[i], *value);
    } else {
      SY_RETURN_IF_ERROR(
          CopyElements(frame.tensors_.dense(first),
                       &frame.tensors_.mutable_dense(values[i])));
    }
  }
  BlockFrame& condition = *frame.children_[step.first_child];
  BlockFrame& body = *frame.children_[step.first_child + 1];
  const RunOptions& options = *frame.options_;
  for (;;) {
    if (options.check) SY_RETURN_IF_ERROR(options.check());
    SY_RETURN_IF_ERROR(frame.RunChild(step, 0, values));
    SY_ASSIGN_OR_RETURN(const bool holds,
                        ReadCondition(condition.tensors_.dense(
                            condition.specialization_.results[0])));
    if (!holds) break;
    SY_RETURN_IF_ERROR(frame.RunChild(step, 1, values));
    SY_RETURN_IF_ERROR(TakeResults(*step.step, body, &frame.tensors_));
  }
  condition.tensors_.Release();
  body.tensors_.Release();
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph

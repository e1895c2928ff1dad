// SPDX-License-Identifier: Apache-2.0
// The part of BlockFrame that runs chains of elementwise launches, and checks
// single launches.
#include <vector>

#include "framework/device/transfer.h"
#include "phi/core/anomaly/anomaly.h"
#include "phi/core/kernel_context.h"
#include "static_graph/executor/block_frame.h"
#include "static_graph/executor/chains/chain_run.h"
#include "static_graph/executor/chains/elementwise_chain.h"
#include "static_graph/executor/run_profile.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::static_graph {

absl::Status BlockFrame::Chain(BlockFrame& frame, FrameStep& step) {
  ChainRun& run = *frame.chains_[step.first_child];
  const absl::Status status = run.Run(frame.tensors_);
  if (!status.ok()) frame.failed_ = &run.failed();
  return status;
}

absl::Status BlockFrame::RunChainWatched(const FrameStep& step) {
  const ElementwiseChain& chain = *step.step->chain;
  if (options_->detect_anomaly) return RunChainDetecting(chain);
  ChainRun& run = *chains_[step.first_child];
  const int64_t begin = options_->profile->Now();
  std::vector<int64_t> times;
  const absl::Status status = run.Run(tensors_, &times);
  if (!status.ok()) failed_ = &run.failed();
  options_->profile->AddShares(chain.members, times, specialization_, begin);
  return status;
}

absl::Status BlockFrame::RunChainDetecting(const ElementwiseChain& chain) {
  for (const ElementwiseChain::Inner& inner : chain.inner) {
    DenseTensor& tensor = tensors_[inner.tensor];
    const TensorId root = specialization_.tensors[inner.tensor].root;
    if (!tensors_[root].allocated()) {
      SY_ASSIGN_OR_RETURN(tensors_[root], AllocateLike(tensor.meta()));
    }
    tensor.SetBuffer(tensors_[root].buffer());
  }
  FrameContexts contexts;
  absl::Status status;
  for (const Step& member : chain.members) {
    std::vector<const TensorBase*> inputs;
    for (TensorId input : member.inputs) inputs.push_back(GetBase(input));
    TensorBase* const output = GetBase(member.outputs[0]);
    phi::KernelContext launch(
        contexts.Get(member.kernel->key.backend->contexts, member.place),
        {{inputs, member.input_segments},
         member.attrs,
         {absl::MakeConstSpan(&output, 1), member.output_segments}},
        member.kernel);
    FrameStep step = {member.kernel->thunk, &launch, nullptr, &member, 0};
    size_t number = 0;
    RunProfile* const profile = options_->profile;
    if (profile != nullptr) {
      number = profile->Begin(member, specialization_, /*kept=*/false);
    }
    status = RunDetecting(step);
    if (profile != nullptr) profile->End(number);
    if (status.ok()) continue;
    failed_ = &member;
    break;
  }
  for (const ElementwiseChain::Inner& inner : chain.inner) {
    tensors_[inner.tensor].SetBuffer(nullptr);
  }
  return status;
}

// A transform that was chosen when shapes were known (a copy, a cast) is none
// of the program's operations, and is not checked.
absl::Status BlockFrame::RunDetecting(FrameStep& step) {
  const Instruction* const instruction = step.step->instruction;
  if (instruction == nullptr) return RunStep(step);
  const phi::TensorArgs& args = *step.launch;
  phi::AnomalyCheck check(*instruction->op, args.inputs, args.attrs);
  SY_RETURN_IF_ERROR(check.ReadInputs());  // Its memory may be written over.
  SY_RETURN_IF_ERROR(RunStep(step));
  const std::vector<const TensorBase*> written(args.outputs.elements().begin(),
                                               args.outputs.elements().end());
  return check.CheckOutputs({written, args.outputs.segments()});
}

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/frame/checked_launches.h"

#include <vector>

#include "framework/device/transfer.h"
#include "phi/core/anomaly/anomaly.h"
#include "static_graph/executor/frame/frame_contexts.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::static_graph {

absl::Status RunChecked(const Step& step, const phi::TensorArgs& args,
                        absl::FunctionRef<absl::Status()> run) {
  const Instruction* const instruction = step.instruction;
  if (instruction == nullptr) return run();
  phi::AnomalyCheck check(*instruction->op, args.inputs, args.attrs);
  SY_RETURN_IF_ERROR(check.ReadInputs());  // Its memory may be written over.
  SY_RETURN_IF_ERROR(run());
  const std::vector<const TensorBase*> written(args.outputs.elements().begin(),
                                               args.outputs.elements().end());
  return check.CheckOutputs({written, args.outputs.segments()});
}

absl::Status RunMembersChecked(const ElementwiseChain& chain,
                               const ShapeSpecialization& made,
                               RunProfile* profile, FrameTensors* tensors,
                               const Step** failed) {
  for (const ElementwiseChain::Inner& inner : chain.inner) {
    DenseTensor& tensor = tensors->mutable_dense(inner.tensor);
    const TensorId root = made.tensors[inner.tensor].root;
    DenseTensor& memory = tensors->mutable_dense(root);
    if (!memory.allocated()) {
      SY_ASSIGN_OR_RETURN(memory, AllocateLike(tensor.meta()));
    }
    tensor.SetBuffer(memory.buffer());
  }
  FrameContexts contexts;
  absl::Status status;
  for (const Step& member : chain.members) {
    std::vector<const TensorBase*> inputs;
    for (TensorId input : member.inputs) inputs.push_back(tensors->Base(input));
    TensorBase* const output = tensors->Base(member.outputs[0]);
    phi::KernelContext launch(
        contexts.Get(member.kernel->key.backend->contexts, member.place),
        {{inputs, member.input_segments},
         member.attrs,
         {absl::MakeConstSpan(&output, 1), member.output_segments}},
        member.kernel);
    size_t number = 0;
    if (profile != nullptr) {
      number = profile->Begin(member, made, /*kept=*/false);
    }
    status = RunChecked(member, launch,
                        [&] { return member.kernel->thunk(launch); });
    if (profile != nullptr) profile->End(number);
    if (status.ok()) continue;
    *failed = &member;
    break;
  }
  for (const ElementwiseChain::Inner& inner : chain.inner) {
    tensors->mutable_dense(inner.tensor).SetBuffer(nullptr);
  }
  return status;
}

}  // namespace switchyard::static_graph

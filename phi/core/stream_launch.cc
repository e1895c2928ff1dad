// SPDX-License-Identifier: Apache-2.0
#include "phi/core/stream_launch.h"

#include "framework/device/stream_work.h"

namespace switchyard::phi {

void AddTensors(const TensorArgs& args, StreamWork* work) {
  for (const TensorBase* input : args.inputs.elements()) {
    if (input != nullptr) work->Reads(input->buffer().get());
  }
  for (const TensorBase* output : args.outputs.elements()) {
    if (output != nullptr) work->Writes(output->buffer().get());
  }
}

bool MakesViews(const TensorArgs& args) {
  bool some = false;
  for (const TensorBase* output : args.outputs.elements()) {
    if (output != nullptr &&
        (output->allocated() || output->kind() != TensorKind::kDense)) {
      return false;
    }
    some |= output != nullptr;
  }
  return some;
}

absl::Status LaunchOnStream(
    KernelContext& call,
    absl::FunctionRef<absl::Status(KernelContext&)> launch) {
  if (MakesViews(call)) return launch(call);
  SY_ASSIGN_OR_RETURN(Stream* const stream,
                      Stream::Current(call.device().place()));
  StreamWork work(stream);
  AddTensors(call, &work);
  SY_RETURN_IF_ERROR(work.Begin());
  SY_RETURN_IF_ERROR(launch(call));
  return work.End().status();
}

}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
#include "phi/core/view_meta.h"

#include "phi/core/kernel_context.h"

namespace switchyard::phi {
namespace {

DenseTensor WithoutData(const TensorMeta& meta) {
  static char nothing;
  return DenseTensor(meta, Buffer::Wrap(
                               &nothing, 0, meta.place, [](void*) {}, nullptr));
}

}  // namespace

absl::StatusOr<std::vector<TensorMeta>> ViewMetas(const ViewCall& call) {
  std::vector<DenseTensor> tensors(call.inputs.size());
  std::vector<const TensorBase*> inputs(call.inputs.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (call.inputs[i] == nullptr) continue;
    tensors[i] = WithoutData(*call.inputs[i]);
    inputs[i] = &tensors[i];
  }
  std::vector<DenseTensor> results(call.outputs.size());
  std::vector<TensorBase*> outputs(call.outputs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    if (call.outputs[i] == nullptr) continue;
    results[i].SetMeta(call.outputs[i]->dtype, call.outputs[i]->shape,
                       call.place);
    outputs[i] = &results[i];
  }
  KernelContext context(call.kernel->key.backend->contexts->current(call.place),
                        {{inputs, call.inputs.segments()},
                         call.attrs,
                         {outputs, call.outputs.segments()}},
                        call.kernel);
  SY_RETURN_IF_ERROR(call.kernel->thunk(context));
  std::vector<TensorMeta> metas;
  for (const DenseTensor& result : results) metas.push_back(result.meta());
  return metas;
}

}  // namespace switchyard::phi

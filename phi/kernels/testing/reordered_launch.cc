// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/testing/reordered_launch.h"

#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/memory/cpu_allocator.h"
#include "phi/core/kernel_tables.h"

namespace switchyard::phi::kernels {
namespace {

// Moves x into `out`, in the layouts that they have, by the reference kernel.
absl::Status Reorder(const DenseTensor& x, DenseTensor* out) {
  const OpKernels* row = KernelTables::Current().Find("reorder");
  for (const KernelDef* kernel : row->candidates(x.dtype())) {
    if (kernel->key.backend->name != std::string_view("reference")) continue;
    const TensorBase* const inputs[] = {&x};
    TensorBase* const outputs[] = {out};
    const AttrRef attrs[] = {Name(out->layout())};
    KernelContext context(kernel->key.backend->contexts->current(Place::Cpu()),
                          {inputs, attrs, outputs});
    return kernel->thunk(context);
  }
  return absl::NotFoundError("reorder on reference");
}

// Moves a kernel's result into `out`, which is strided.
absl::Status ReorderResult(const DenseTensor& x, DenseTensor* out) {
  SY_RETURN_IF_ERROR(Reorder(x, out));
  SY_ASSIGN_OR_RETURN(DenseTensor again, EmptyLike(*out, x.layout()));
  SY_RETURN_IF_ERROR(Reorder(*out, &again));
  if (std::memcmp(again.raw_data(), x.raw_data(), x.buffer()->size()) == 0) {
    return absl::OkStatus();
  }
  return absl::InternalError("a padded result has other elements than zeros");
}

}  // namespace

absl::StatusOr<DenseTensor> EmptyLike(const DenseTensor& x,
                                      LayoutDescriptor layout) {
  DenseTensor tensor;
  SY_ASSIGN_OR_RETURN(const int64_t bytes,
                      CheckedByteSize(x.dtype(), x.shape(), layout));
  tensor.SetMeta(x.dtype(), x.shape(), x.place());
  tensor.SetLayout(layout);
  SY_ASSIGN_OR_RETURN(RefPtr<Buffer> buffer, CpuAllocator().Allocate(bytes));
  tensor.SetBuffer(std::move(buffer));
  return tensor;
}

absl::Status LaunchReordered(const KernelDef& kernel,
                             const ArgList<const TensorBase* const>& inputs,
                             absl::Span<const AttrRef> attrs,
                             const ArgList<TensorBase* const>& outputs,
                             LayoutDescriptor given) {
  TensorLayouts layouts;
  layouts.inputs.resize(inputs.size());
  layouts.outputs.resize(outputs.size());
  layouts.inputs[0] = given;
  absl::InlinedVector<const Shape*, 4> shapes;
  for (const TensorBase* x : inputs.elements())
    shapes.push_back(x ? &x->shape() : nullptr);
  SY_RETURN_IF_ERROR(kernel.layouts({shapes, attrs}, &layouts));
  std::vector<DenseTensor> tensors(inputs.size() + outputs.size());
  std::vector<const TensorBase*> ins(inputs.elements().begin(),
                                     inputs.elements().end());
  for (size_t i = 0; i < ins.size(); ++i) {
    if (ins[i] == nullptr || layouts.inputs[i].strided()) continue;
    const auto& x = static_cast<const DenseTensor&>(*ins[i]);
    SY_ASSIGN_OR_RETURN(tensors[i], EmptyLike(x, layouts.inputs[i]));
    SY_RETURN_IF_ERROR(Reorder(x, &tensors[i]));
    ins[i] = &tensors[i];
  }
  std::vector<TensorBase*> outs(outputs.elements().begin(),
                                outputs.elements().end());
  for (size_t i = 0; i < outs.size(); ++i) {
    if (outs[i] == nullptr || layouts.outputs[i].strided()) continue;
    DenseTensor& tensor = tensors[ins.size() + i];
    SY_ASSIGN_OR_RETURN(tensor, EmptyLike(static_cast<DenseTensor&>(*outs[i]),
                                          layouts.outputs[i]));
    outs[i] = &tensor;
  }
  KernelContext context(
      kernel.key.backend->contexts->current(Place::Cpu()),
      {{ins, inputs.segments()}, attrs, {outs, outputs.segments()}});
  SY_RETURN_IF_ERROR(kernel.thunk(context));
  for (size_t i = 0; i < outs.size(); ++i) {
    if (outs[i] == outputs[i]) continue;
    SY_RETURN_IF_ERROR(ReorderResult(static_cast<DenseTensor&>(*outs[i]),
                                     static_cast<DenseTensor*>(outputs[i])));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels

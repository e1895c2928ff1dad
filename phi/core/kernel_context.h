// SPDX-License-Identifier: Apache-2.0
// KernelContext: the arguments of one launch, for kernels that are called
// through their thunk (executors, the legacy adapter). Inputs are as their
// ArgDefs ask: transformed, on the place, contiguous where asked. Outputs have
// metadata and memory, but for views, which their kernel makes.
#ifndef SWITCHYARD_PHI_CORE_KERNEL_CONTEXT_H_
#define SWITCHYARD_PHI_CORE_KERNEL_CONTEXT_H_

#include "framework/device/device_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/arg_list.h"

namespace switchyard::phi {

// Tensor[] arguments and results of a kernel.
using DenseList = InputList<DenseTensor, TensorBase>;
using DenseOutputs = OutputList<DenseTensor, TensorBase>;

// The tensors and attributes of a call. An absent tensor is null.
using TensorArgs = OpArgs<const TensorBase*, TensorBase* const>;

// Borrows all that it is given.
class KernelContext : public TensorArgs {
 public:
  KernelContext(const DeviceContext& device, const TensorArgs& args)
      : TensorArgs(args), device_(&device) {}

  const DeviceContext& device() const { return *device_; }

 private:
  const DeviceContext* device_;
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_KERNEL_CONTEXT_H_

// SPDX-License-Identifier: Apache-2.0
// KernelContext: the arguments of one launch of a kernel.
#ifndef SWITCHYARD_PHI_CORE_KERNEL_CONTEXT_H_
#define SWITCHYARD_PHI_CORE_KERNEL_CONTEXT_H_

#include "framework/device/device_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/selected_rows.h"
#include "framework/tensor/sparse.h"
#include "framework/tensor/string_tensor.h"
#include "framework/tensor/tensor_array.h"
#include "phi/core/arg_list.h"

namespace switchyard::phi {

// Tensor[] arguments and results of a kernel.
using DenseList = InputList<DenseTensor, TensorBase>;
using DenseOutputs = OutputList<DenseTensor, TensorBase>;

// The tensors and attributes of a call. An absent tensor is null.
using TensorArgs = OpArgs<const TensorBase*, TensorBase* const>;

struct KernelDef;  // phi/core/kernel_def.h

// Borrows all that it is given.
class KernelContext : public TensorArgs {
 public:
  // `kernel` is the one that is launched. A thunk that serves many kernels
  // (those of operators made at run time) requires it.
  KernelContext(const DeviceContext& device, const TensorArgs& args,
                const KernelDef* kernel = nullptr)
      : TensorArgs(args), device_(&device), kernel_(kernel) {}

  const DeviceContext& device() const { return *device_; }
  const KernelDef* kernel() const { return kernel_; }

 private:
  const DeviceContext* device_;
  const KernelDef* kernel_;
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_KERNEL_CONTEXT_H_

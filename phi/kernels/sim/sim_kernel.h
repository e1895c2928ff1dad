// SPDX-License-Identifier: Apache-2.0
// SimKernel: a linked CPU kernel as a kernel of the simulated device
// (framework/device/sim/sim_device.h), for tests. It runs on a worker of the
// current stream, over tensors whose memory is the alias of the device's, so
// the bits are the CPU kernel's. What it may be selected for is as the CPU
// kernel says. tests/sim/sim_table.py puts them into a kernel table.
#ifndef SWITCHYARD_PHI_KERNELS_SIM_SIM_KERNEL_H_
#define SWITCHYARD_PHI_KERNELS_SIM_SIM_KERNEL_H_

#include <cstddef>

#include "phi/core/kernel_context.h"
#include "phi/core/kernel_def.h"

namespace switchyard::phi {

// The backends of the simulated device: one for each backend of the CPU that
// the repository has, of its rank, so that selection has the same choices.
extern const BackendInfo backend_sim_reference;
extern const BackendInfo backend_sim_cpu;
extern const BackendInfo backend_sim_onednn;

// A kernel of the simulated device: the record of a CPU kernel with the backend
// of the device, and with a thunk of its own. The thunk gives the CPU kernel,
// with a copy of the arguments of the call, to the current stream, and returns.
// Inputs may lie on the host where the kernel reads them there; they are
// copied. It waits for a kernel whose results are not inferred (their shape,
// level of detail or kind depends on data), or lie on the host. Unimplemented
// for tensors that are neither dense nor SelectedRows; the failure of what was
// to write an input; FailedPrecondition if no wait orders the call and another
// one that touches the same memory.
struct SimKernel : KernelDef {
  SimKernel() = default;
  explicit SimKernel(const KernelDef& kernel);

  const KernelDef* of = nullptr;  // The CPU's.
};

// Holds the SimKernels of a kernel table: constants refer to its elements,
// which are made before main, of kernels that are constants.
template <size_t kCount>
struct SimKernels {
  explicit SimKernels(const KernelDef* const (&of)[kCount]) {
    for (size_t i = 0; i < kCount; ++i) kernels[i] = SimKernel(*of[i]);
  }

  SimKernel kernels[kCount];
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_KERNELS_SIM_SIM_KERNEL_H_

// SPDX-License-Identifier: Apache-2.0
// ObservedSimKernel: ObservedKernel (observed_kernels.h) for the kernels of the
// simulated device. The launch is written down on the thread that makes it, not
// on the worker that runs it.
#ifndef SWITCHYARD_TESTS_EXPLAIN_OBSERVED_SIM_KERNELS_H_
#define SWITCHYARD_TESTS_EXPLAIN_OBSERVED_SIM_KERNELS_H_

#include "phi/kernels/sim/sim_kernel.h"
#include "tests/explain/observed_kernels.h"

namespace switchyard::phi {

// A copy of the SimKernel of kKernel that writes down its launches.
template <const KernelDef& kKernel>
struct ObservedSimKernel {
  static absl::Status Thunk(KernelContext& context) {
    Launches().push_back(&def);
    return LaunchOnSim(kKernel, context);
  }
  static const KernelDef def;
};

// It is made of the CPU's kernel, a constant: the order in which it and
// SimKernel::def are initialised is not known.
template <const KernelDef& kKernel>
const KernelDef ObservedSimKernel<kKernel>::def = SimKernelDef(kKernel, &Thunk);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_TESTS_EXPLAIN_OBSERVED_SIM_KERNELS_H_

// SPDX-License-Identifier: Apache-2.0
// ObservedKernel: a copy of a linked kernel whose thunk writes down that it was
// entered, then runs the kernel. The tests' kernel table (observed_table.py)
// holds these copies in place of the kernels, so what is written down is what
// was launched: by eager calls, by programs, as a kernel or as a transform.
#ifndef SWITCHYARD_TESTS_EXPLAIN_OBSERVED_KERNELS_H_
#define SWITCHYARD_TESTS_EXPLAIN_OBSERVED_KERNELS_H_

#include <vector>

#include "phi/core/kernel_def.h"

namespace switchyard::phi {

// The copies that were entered on this thread, in that order.
std::vector<const KernelDef*>& Launches();

// `kernel` with another thunk.
KernelDef WithThunk(const KernelDef& kernel, KernelThunk thunk);

// A copy of kKernel that writes down its launches.
template <const KernelDef& kKernel>
struct ObservedKernel {
  static absl::Status Thunk(KernelContext& context) {
    Launches().push_back(&def);
    return kKernel.thunk(context);
  }
  static const KernelDef def;
};

// Kernels are constants, so they are there before this copies one.
template <const KernelDef& kKernel>
const KernelDef ObservedKernel<kKernel>::def = WithThunk(kKernel, &Thunk);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_TESTS_EXPLAIN_OBSERVED_KERNELS_H_

// SPDX-License-Identifier: Apache-2.0
// ObservedKernel: a copy of a linked kernel whose thunk writes down that it was
// entered, then runs the kernel. The tests' kernel table (observed_table.py)
// holds these copies in place of the kernels, so what is written down is what
// was launched: by eager calls, by programs, as a kernel or as a transform.
#ifndef SWITCHYARD_TESTS_EXPLAIN_OBSERVED_KERNELS_H_
#define SWITCHYARD_TESTS_EXPLAIN_OBSERVED_KERNELS_H_

#include <cstddef>
#include <vector>

#include "phi/core/kernel_def.h"

namespace switchyard::phi {

// The copies that were entered on this thread, in that order: on a device, by
// the thread that makes the launch, not by a worker that runs it.
std::vector<const KernelDef*>& Launches();

// A copy of a kernel that writes down its launches.
struct ObservedKernel : KernelDef {
  ObservedKernel() = default;
  explicit ObservedKernel(const KernelDef& kernel);

  const KernelDef* of = nullptr;
};

// Holds the copies for a kernel table: constants refer to its elements, which
// are made before main, of kernels that are constants or made above them.
template <size_t kCount>
struct ObservedKernels {
  explicit ObservedKernels(const KernelDef* const (&of)[kCount]) {
    for (size_t i = 0; i < kCount; ++i) kernels[i] = ObservedKernel(*of[i]);
  }

  ObservedKernel kernels[kCount];
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_TESTS_EXPLAIN_OBSERVED_KERNELS_H_

// SPDX-License-Identifier: Apache-2.0
// Launching one kernel in a test, without selection or InferMeta.
#ifndef SWITCHYARD_PHI_CORE_TESTING_LAUNCH_H_
#define SWITCHYARD_PHI_CORE_TESTING_LAUNCH_H_

#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_def.h"

namespace switchyard::phi {

// `inputs` and `outputs` by argument, null if absent; outputs have memory.
inline absl::Status Launch(const KernelDef& kernel,
                           std::vector<const TensorBase*> inputs,
                           std::vector<AttrRef> attrs,
                           std::vector<TensorBase*> outputs) {
  KernelContext call(kernel.key.backend->contexts->current(Place::Cpu()),
                     {inputs, attrs, outputs});
  return kernel.thunk(call);
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_TESTING_LAUNCH_H_

// SPDX-License-Identifier: Apache-2.0
#include "tests/explain/observed_kernels.h"

namespace switchyard::phi {

std::vector<const KernelDef*>& Launches() {
  static thread_local std::vector<const KernelDef*> launches;
  return launches;
}

KernelDef WithThunk(const KernelDef& kernel, KernelThunk thunk) {
  KernelDef copy = kernel;
  copy.thunk = thunk;
  return copy;
}

}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
#include "tests/explain/observed_kernels.h"

#include "phi/core/kernel_context.h"

namespace switchyard::phi {
namespace {

// The thunk of every copy.
absl::Status Observe(KernelContext& call) {
  Launches().push_back(call.kernel());
  const KernelDef& kernel =
      *static_cast<const ObservedKernel*>(call.kernel())->of;
  KernelContext of_kernel(call.device(), call, &kernel);
  return kernel.thunk(of_kernel);
}

}  // namespace

std::vector<const KernelDef*>& Launches() {
  static thread_local std::vector<const KernelDef*> launches;
  return launches;
}

ObservedKernel::ObservedKernel(const KernelDef& kernel)
    : KernelDef(kernel), of(&kernel) {
  thunk = &Observe;
}

}  // namespace switchyard::phi

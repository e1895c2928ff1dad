// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/policy.h"

namespace switchyard::phi::selection {

std::string_view Name(KernelOrigin origin) {
  return origin == KernelOrigin::kPhi ? "phi" : "fluid";
}

}  // namespace switchyard::phi::selection

// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/policy.h"

namespace switchyard::phi::selection {

std::string_view Name(Form form) {
  return form == Form::kPhi ? "phi" : "fluid";
}

}  // namespace switchyard::phi::selection

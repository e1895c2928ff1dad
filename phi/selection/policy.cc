// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/policy.h"

namespace switchyard::phi::selection {

uint32_t BackendsOf(Place place) {
  switch (place.type) {
    case DeviceType::kCpu:
      return Policy::Bit(Backend::kReference) | Policy::Bit(Backend::kCpu) |
             Policy::Bit(Backend::kOnednn);
    case DeviceType::kGpu:
      return Policy::Bit(Backend::kGpu) | Policy::Bit(Backend::kGpudnn);
  }
  return 0;
}

std::string_view Name(Form form) {
  return form == Form::kPhi ? "phi" : "fluid";
}

}  // namespace switchyard::phi::selection

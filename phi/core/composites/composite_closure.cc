// SPDX-License-Identifier: Apache-2.0
#include "phi/core/composites/composite_closure.h"

#include <algorithm>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "framework/device/cpu/cpu_device.h"

namespace switchyard::phi {

CompositeClosure::CompositeClosure(const KernelTable& table) : table_(table) {
  for (const BackendInfo* backend : table.backends()) {
    const DeviceInfo* const device = backend->device;
    if (device != &device_cpu &&
        std::find(devices_.begin(), devices_.end(), device) == devices_.end()) {
      devices_.push_back(device);
    }
  }
}

std::vector<DeviceDtypes> CompositeClosure::Of(const CompositeDef& composite) {
  std::vector<DeviceDtypes> served;
  for (const DeviceInfo* device : devices_) {
    const uint32_t dtypes = ServedParts(composite, device);
    if (dtypes != 0) served.push_back({device, dtypes});
  }
  return served;
}

uint32_t CompositeClosure::Served(std::string_view op,
                                  const DeviceInfo* device) {
  const auto [known, first] = known_.try_emplace({device, op}, 0);
  if (!first) return known->second;
  uint32_t dtypes = 0;
  if (const OpKernels* const op_kernels = table_.Find(op)) {
    for (const KernelDef* kernel : op_kernels->kernels) {
      if (kernel->key.backend->device != device) continue;
      dtypes |= 1u << static_cast<int>(kernel->key.dtype);
    }
  }
  // The entries' composites are in no circle (static_graph/lowering refuses
  // one).
  if (const CompositeDef* const composite = FindComposite(op)) {
    dtypes |= ServedParts(*composite, device);
  }
  known_[{device, op}] = dtypes;
  return dtypes;
}

uint32_t CompositeClosure::ServedParts(const CompositeDef& composite,
                                       const DeviceInfo* device) {
  uint32_t dtypes = ~0u;
  for (const absl::string_view part :
       absl::StrSplit(composite.parts, ' ', absl::SkipEmpty())) {
    dtypes &= Served(std::string_view(part.data(), part.size()), device);
  }
  return dtypes;
}

}  // namespace switchyard::phi

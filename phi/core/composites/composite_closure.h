// SPDX-License-Identifier: Apache-2.0
// CompositeClosure: on which devices, and for which dtypes, the operators that
// one is composed of have kernels. Private to the makers of kernel tables.
#ifndef SWITCHYARD_PHI_CORE_COMPOSITES_COMPOSITE_CLOSURE_H_
#define SWITCHYARD_PHI_CORE_COMPOSITES_COMPOSITE_CLOSURE_H_

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "phi/core/kernel_table.h"

namespace switchyard::phi {

// Takes the closure of one table: a part is served where it has a kernel itself
// or where its own parts are served. Borrows the table.
class CompositeClosure {
 public:
  explicit CompositeClosure(const KernelTable& table);

  // True if no kernel of the table is of another device than the host: then
  // there is nothing to take.
  bool empty() const { return devices_.empty(); }
  // Returns the devices on which all parts are served for some dtype.
  std::vector<DeviceDtypes> Of(const CompositeDef& composite);

 private:
  // Bits by DataType.
  uint32_t Served(std::string_view op, const DeviceInfo* device);
  uint32_t ServedParts(const CompositeDef& composite, const DeviceInfo* device);

  const KernelTable& table_;
  std::vector<const DeviceInfo*> devices_;
  std::map<std::pair<const DeviceInfo*, std::string_view>, uint32_t> known_;
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_COMPOSITES_COMPOSITE_CLOSURE_H_

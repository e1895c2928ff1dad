// SPDX-License-Identifier: Apache-2.0
// Parts that the makers of kernel tables share: the backends of a table and the
// checks of its kernels. Private to phi/core (kernel_tables.h,
// owned_kernel_table.h).
#ifndef SWITCHYARD_PHI_CORE_TABLE_PARTS_H_
#define SWITCHYARD_PHI_CORE_TABLE_PARTS_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/kernel_table.h"

namespace switchyard::phi {

// Adds the backends of `kernels` that `backends`, in the order of RanksBelow,
// lacks; numbers them (phi/core/backend_set.h). Registers the host as a device.
void AddBackends(absl::Span<const KernelDef* const> kernels,
                 std::vector<const BackendInfo*>* backends);

// AlreadyExists if two backends, or their devices, have one name,
// ResourceExhausted if one could not be numbered.
absl::Status CheckBackends(absl::Span<const BackendInfo* const> backends);

// AlreadyExists if two of an operator's kernels have the same key, origin and
// kernel name: which one is meant can't be told.
absl::Status CheckDistinct(absl::Span<const KernelDef* const> kernels);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_TABLE_PARTS_H_

// SPDX-License-Identifier: Apache-2.0
// TableInForce: the kernel table that is in force, for code that is linked into
// binaries without kernels too. Others ask KernelTables, which makes it
// (phi/core/kernel_tables.h).
#ifndef SWITCHYARD_PHI_CORE_TABLE_IN_FORCE_H_
#define SWITCHYARD_PHI_CORE_TABLE_IN_FORCE_H_

#include <atomic>

#include "phi/core/kernel_table.h"

namespace switchyard::phi {
namespace internal {
// Set by KernelTables alone. Tables are never freed.
inline std::atomic<const KernelTable*> table_in_force{nullptr};
}  // namespace internal

// Returns the table in force; an empty one before the first call that needs
// one. Thread-safe.
inline const KernelTable& TableInForce() {
  static const KernelTable empty;
  const KernelTable* const table =
      internal::table_in_force.load(std::memory_order_acquire);
  return table == nullptr ? empty : *table;
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_TABLE_IN_FORCE_H_

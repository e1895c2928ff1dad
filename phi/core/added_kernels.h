// SPDX-License-Identifier: Apache-2.0
// AddedKernels: the kernels that were added at run time (a plugin's) to an
// operator that no binary links kernels of, since it is composed of others. It
// has no OpSlot (phi/core/kernel_table.h): nearly always there are none, and a
// call that is composed shall learn that from one load.
#ifndef SWITCHYARD_PHI_CORE_ADDED_KERNELS_H_
#define SWITCHYARD_PHI_CORE_ADDED_KERNELS_H_

#include <atomic>

#include "absl/base/optimization.h"
#include "phi/core/kernel_table.h"
#include "phi/core/op_info.h"

namespace switchyard::phi {
namespace internal {

// The table in force once kernels were added to it (KernelTables::Add); null
// before. Tables are never freed.
inline std::atomic<const KernelTable*> table_with_added{nullptr};

// Finds the kernels in `table`, and remembers the answer for this thread.
const OpKernels* FindAdded(const KernelTable& table, const OpInfo& op);

}  // namespace internal

// Returns the operator's kernels in the table that is in force; null if it has
// none, or if no kernels were added at run time. `op` is never freed.
// Thread-safe.
inline const OpKernels* AddedKernels(const OpInfo& op) {
  const KernelTable* const table =
      internal::table_with_added.load(std::memory_order_acquire);
  if (ABSL_PREDICT_TRUE(table == nullptr)) return nullptr;
  return internal::FindAdded(*table, op);
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_ADDED_KERNELS_H_

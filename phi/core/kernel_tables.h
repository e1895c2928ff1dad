// SPDX-License-Identifier: Apache-2.0
// KernelTables: the kernel table that is in force in this process, the one
// source of kernels for eager calls, programs and explain. It begins as the
// table of the linked binary, which is made at its first use (nothing
// runs before main): the kernel set lists the binary's kernels, and their
// backends' ranks order them. Kernels that appear later (operators made at run
// time, plugins) come by Add, which puts another table in force; a program
// keeps the one that it was compiled for. Tables of a test's own are made by
// phi/core/owned_kernel_table.h.
#ifndef SWITCHYARD_PHI_CORE_KERNEL_TABLES_H_
#define SWITCHYARD_PHI_CORE_KERNEL_TABLES_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/kernel_table.h"

namespace switchyard::phi {

// The operators of the binary, by name; defined by its one kernel_set.
absl::Span<OpSlot* const> LinkedSlots();

// Gives access to the table in force, and replaces it. All functions may be
// called by any number of threads; a call that has begun ends with the table
// that it began with.
class KernelTables {
 public:
  // Never destroyed. Thread-safe.
  static const KernelTable& Current();

  // Puts a table in force that has `kernels`, too, after the others of their
  // backend and origin. They outlive the process, and so do `slots`: those of
  // the operators among them that no binary links. Earlier tables
  // stay as they are. AlreadyExists if there is such a kernel (operator, key,
  // origin and name) or another backend of the same name, ResourceExhausted
  // beyond kMaxBackends; then nothing has changed. Thread-safe.
  static absl::Status Add(absl::Span<const KernelDef* const> kernels,
                          absl::Span<OpSlot* const> slots);

  // Returns the kernels of a slot that has none yet. The slots of a binary are
  // made with this function.
  static const OpKernels& FindOpKernels(OpSlot& slot);
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_KERNEL_TABLES_H_

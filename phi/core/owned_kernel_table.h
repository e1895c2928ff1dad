// SPDX-License-Identifier: Apache-2.0
// OwnedKernelTable: a KernelTable of kernels of the caller's choice. The table
// that is in force is phi/core/kernel_tables.h's.
#ifndef SWITCHYARD_PHI_CORE_OWNED_KERNEL_TABLE_H_
#define SWITCHYARD_PHI_CORE_OWNED_KERNEL_TABLE_H_

#include <memory>
#include <vector>

#include "framework/base/status.h"
#include "phi/core/kernel_table.h"

namespace switchyard::phi {

// Owns a KernelTable that is put together at run time, for plugins and for
// tests. (The table of a linked binary is constant data that a kernel_set
// generates, phi/core/kernel_table.h.) Both have the same order of candidates,
// except that functions of one backend are ranked by name here: there is no
// entry that orders them.
//
// Immutable. Borrows the KernelDefs, which are constants or outlive it.
// Programs and calls that use its table must end before it does.
class OwnedKernelTable {
 public:
  OwnedKernelTable(const OwnedKernelTable&) = delete;
  OwnedKernelTable& operator=(const OwnedKernelTable&) = delete;
  ~OwnedKernelTable() { RaiseKernelTableEpoch(); }

  const KernelTable& table() const { return table_; }

 private:
  friend absl::StatusOr<std::unique_ptr<const OwnedKernelTable>>
  MakeKernelTable(absl::Span<const KernelDef* const> kernels);

  explicit OwnedKernelTable(std::vector<const KernelDef*> sorted);

  std::vector<const KernelDef*> kernels_;
  std::vector<OpKernels> ops_;
  std::vector<std::vector<DeviceDtypes>> composed_on_;
  std::vector<const OpKernels*> op_pointers_;
  std::vector<const BackendInfo*> backends_;
  KernelTable table_;
};

// The table of `kernels`, given in any order. AlreadyExists if two of them have
// the same operator, key, origin and kernel name (which one is meant can't be
// told) or two backends one name; ResourceExhausted beyond kMaxBackends.
absl::StatusOr<std::unique_ptr<const OwnedKernelTable>> MakeKernelTable(
    absl::Span<const KernelDef* const> kernels);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_OWNED_KERNEL_TABLE_H_

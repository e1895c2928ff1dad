// SPDX-License-Identifier: Apache-2.0
// OpKernels: the candidates for one operator in the order in which they are
// asked; KernelTable: the OpKernels of a set of kernels; OpSlot: where a linked
// binary keeps an operator's. A `kernel_set` (phi/core/kernel_set.bzl)
// generates one `OpSlot kernels_<name>` for each operator into the binary
// itself; API and eager code refer to it and leave it undefined, so an operator
// that a set lacks is an undefined symbol at link. Which table is in force is
// phi/core/kernel_tables.h.
#ifndef SWITCHYARD_PHI_CORE_KERNEL_TABLE_H_
#define SWITCHYARD_PHI_CORE_KERNEL_TABLE_H_

#include <atomic>
#include <cstdint>
#include <string_view>

#include "absl/base/optimization.h"
#include "absl/types/span.h"
#include "phi/core/composites/composite_def.h"
#include "phi/core/kernel_def.h"

namespace switchyard::phi {

// The dtypes, a bit each by DataType, for which something holds on a device.
struct DeviceDtypes {
  const DeviceInfo* device;
  uint32_t dtypes;
};

// Lists the candidates for one operator. Their order is decided when the table
// is generated, never by registration or link order. Lives as long as its table
// and is never changed.
struct OpKernels {
  const char* op;
  // Sorted by dtype, then CandidateBefore; those of one backend and origin are
  // in the order given to the table (that of the operator's entry, if linked).
  absl::Span<const KernelDef* const> kernels;
  // kernels of dtype d: [begins[d], begins[d + 1]).
  uint16_t begins[static_cast<int>(DataType::kString) + 2];
  // The candidate that ends the row, for any dtype: after the kernels of a
  // call's place and those that make views, before a fallback to the CPU. Null
  // if the operator is composed of nothing.
  const CompositeDef* composite = nullptr;
  // For which dtypes its parts have kernels on a device other than the host
  // (or else their parts): taken when the table is made.
  absl::Span<const DeviceDtypes> composed_on = {};

  absl::Span<const KernelDef* const> candidates(DataType dtype) const {
    const int d = static_cast<int>(dtype);
    return kernels.subspan(begins[d], begins[d + 1] - begins[d]);
  }
  // Returns whether the entry has no kernels: then the composite says which
  // calls it takes.
  bool composed_alone() const {
    return composite != nullptr && composite->alone;
  }
};

// Returns the OpKernels of one operator's kernels, which are sorted by dtype
// and outlive it, and of its composite, without `composed_on`. Registers the
// devices of their backends.
OpKernels MakeOpKernels(const char* op,
                        absl::Span<const KernelDef* const> kernels);

// True if `a` is asked before `b`, a kernel of the same operator: dtype, then
// backends by rank (the higher first; of equal ones by name), in a backend phi
// before fluid. Neither is before the other where all of that is equal.
bool CandidateBefore(const KernelDef& a, const KernelDef& b);

// Holds operators' kernels by the operator's name (sorted), and the backends of
// these kernels (in the order of RanksBelow). Immutable; programs keep the
// table that they were lowered with.
class KernelTable {
 public:
  KernelTable() = default;
  // Borrows both lists.
  KernelTable(absl::Span<const OpKernels* const> ops,
              absl::Span<const BackendInfo* const> backends)
      : ops_(ops), backends_(backends) {}
  // Null if the table has no kernel for `op`. Binary search: cold paths only.
  const OpKernels* Find(std::string_view op) const;
  absl::Span<const OpKernels* const> ops() const { return ops_; }
  // Null if no kernel of the table is of a backend of this name.
  const BackendInfo* FindBackend(std::string_view name) const;
  absl::Span<const BackendInfo* const> backends() const { return backends_; }

 private:
  absl::Span<const OpKernels* const> ops_;
  absl::Span<const BackendInfo* const> backends_;
};

// Points to the OpKernels of one operator in the table that is in force:
// constant-initialised, null before the first call, and replaced when another
// table comes into force. A warm call costs one load.
class OpSlot {
 public:
  // Finds the OpKernels at their first use, and keeps them.
  using Finder = const OpKernels& (*)(OpSlot& slot);

  // For a linked binary: `kernels` in any order, lists of one backend in the
  // order of the entry.
  constexpr OpSlot(const char* op, absl::Span<const KernelDef* const> kernels,
                   Finder find)
      : op_(op), kernels_(kernels), find_(find) {}
  // Wraps OpKernels that never change, for tests.
  constexpr explicit OpSlot(const OpKernels* op_kernels)
      : op_(op_kernels->op), op_kernels_(op_kernels) {}
  OpSlot(const OpSlot&) = delete;
  OpSlot& operator=(const OpSlot&) = delete;

  const char* op() const { return op_; }
  absl::Span<const KernelDef* const> kernels() const { return kernels_; }
  const OpKernels& Get() {
    const OpKernels* op_kernels = op_kernels_.load(std::memory_order_acquire);
    if (ABSL_PREDICT_FALSE(op_kernels == nullptr)) return find_(*this);
    return *op_kernels;
  }
  void Set(const OpKernels* op_kernels) {
    op_kernels_.store(op_kernels, std::memory_order_release);
  }

 private:
  const char* op_;
  absl::Span<const KernelDef* const> kernels_;
  Finder find_ = nullptr;
  std::atomic<const OpKernels*> op_kernels_{nullptr};
};

namespace internal {
inline std::atomic<uint32_t> kernel_table_epoch{0};
}  // namespace internal

// Returns a number that grows whenever a table comes or goes. Whatever is
// cached under the address of an OpKernels is stale once it has grown.
inline uint32_t KernelTableEpoch() {
  return internal::kernel_table_epoch.load(std::memory_order_relaxed);
}
inline void RaiseKernelTableEpoch() {
  internal::kernel_table_epoch.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_KERNEL_TABLE_H_

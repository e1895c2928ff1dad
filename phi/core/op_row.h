// SPDX-License-Identifier: Apache-2.0
// OpRow: the candidates for one operator in a linked image, and KernelTable:
// all rows of the image. Both are constants that a `kernel_set` (phi/core/
// kernel_set.bzl) generates into the binary itself; API and eager code refer to
// `op_<name>` and leave it undefined, so a kernel that a set lacks is an
// undefined symbol at link. Candidate order is decided when the table is
// generated, never by registration or link order.
#ifndef SWITCHYARD_PHI_CORE_OP_ROW_H_
#define SWITCHYARD_PHI_CORE_OP_ROW_H_

#include <atomic>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "phi/core/kernel_def.h"

namespace switchyard::phi {

struct OpRow {
  const char* op;
  // By dtype, then CandidateRank, then the order of the functions in the
  // operator's entry; of a table made at run time as CandidateBefore says.
  absl::Span<const KernelDef* const> kernels;
  // kernels of dtype d: [begins[d], begins[d + 1]).
  uint16_t begins[kNumDataTypes + 1];

  absl::Span<const KernelDef* const> candidates(DataType dtype) const {
    const int d = static_cast<int>(dtype);
    return kernels.subspan(begins[d], begins[d + 1] - begins[d]);
  }
};

// The order in which candidates are asked: gpudnn, gpu, onednn, cpu, reference;
// in a backend phi before fluid. Lower is earlier.
int CandidateRank(Backend backend, Form form);

// Total order over distinct kernels of one operator: dtype, CandidateRank,
// name.
bool CandidateBefore(const KernelDef& a, const KernelDef& b);

// Rows by name (sorted). Immutable; programs keep the table that they were
// lowered with.
class KernelTable {
 public:
  constexpr explicit KernelTable(absl::Span<const OpRow* const> sorted_rows)
      : rows_(sorted_rows) {}
  // Null if the image has no kernel for `op`. Binary search: cold paths only.
  const OpRow* Find(std::string_view op) const;
  absl::Span<const OpRow* const> rows() const { return rows_; }

 private:
  absl::Span<const OpRow* const> rows_;
};

// The table of the image; defined by its one kernel_set.
const KernelTable& LinkedKernels();

namespace internal {
inline std::atomic<uint32_t> kernel_table_epoch{0};
}  // namespace internal

// Grows whenever a table that was made at run time comes or goes: what was
// learnt of a row by its address before holds no longer.
inline uint32_t KernelTableEpoch() {
  return internal::kernel_table_epoch.load(std::memory_order_relaxed);
}
inline void RaiseKernelTableEpoch() {
  internal::kernel_table_epoch.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_OP_ROW_H_

// SPDX-License-Identifier: Apache-2.0
#include "phi/core/op_row.h"

#include <algorithm>
#include <iterator>

#include "phi/core/backend_set.h"

namespace switchyard::phi {

OpRow MakeRow(const char* op, absl::Span<const KernelDef* const> kernels) {
  for (const KernelDef* kernel : kernels) {
    // An error is the table's to report: CheckBackends().
    RegisterDevice(*kernel->key.backend->device).IgnoreError();
  }
  OpRow row{op, kernels, {}};
  size_t next = 0;
  for (int dtype = 0; dtype < static_cast<int>(std::size(row.begins));
       ++dtype) {
    while (next < kernels.size() &&
           static_cast<int>(kernels[next]->key.dtype) < dtype) {
      ++next;
    }
    row.begins[dtype] = static_cast<uint16_t>(next);
  }
  return row;
}

bool CandidateBefore(const KernelDef& a, const KernelDef& b) {
  if (a.key.dtype != b.key.dtype) return a.key.dtype < b.key.dtype;
  const BackendInfo& of_a = *a.key.backend;
  const BackendInfo& of_b = *b.key.backend;
  if (&of_a == &of_b) return a.form < b.form;
  if (of_a.rank != of_b.rank) return of_a.rank > of_b.rank;
  return RanksBelow(of_a, of_b);
}

const OpRow* KernelTable::Find(std::string_view op) const {
  const auto* row =
      std::lower_bound(rows_.begin(), rows_.end(), op,
                       [](const OpRow* candidate, std::string_view name) {
                         return std::string_view(candidate->op) < name;
                       });
  if (row == rows_.end() || (*row)->op != op) return nullptr;
  return *row;
}

const BackendInfo* KernelTable::FindBackend(std::string_view name) const {
  for (const BackendInfo* backend : backends_) {
    if (backend->name == name) return backend;
  }
  return nullptr;
}

}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
#include "phi/core/kernel_table.h"

#include <algorithm>
#include <iterator>

#include "phi/core/backend_set.h"

namespace switchyard::phi {

OpKernels MakeOpKernels(const char* op,
                        absl::Span<const KernelDef* const> kernels) {
  const DeviceInfo* last = nullptr;  // Most operators have but one device.
  for (const KernelDef* kernel : kernels) {
    const DeviceInfo* const device = kernel->key.backend->device;
    if (device == last) continue;
    // An error is the table's to report: CheckBackends().
    RegisterDevice(*device).IgnoreError();
    last = device;
  }
  OpKernels op_kernels{op, kernels, {}, FindComposite(op), {}};
  size_t next = 0;
  for (int dtype = 0; dtype < static_cast<int>(std::size(op_kernels.begins));
       ++dtype) {
    while (next < kernels.size() &&
           static_cast<int>(kernels[next]->key.dtype) < dtype) {
      ++next;
    }
    op_kernels.begins[dtype] = static_cast<uint16_t>(next);
  }
  return op_kernels;
}

bool CandidateBefore(const KernelDef& a, const KernelDef& b) {
  if (a.key.dtype != b.key.dtype) return a.key.dtype < b.key.dtype;
  const BackendInfo& of_a = *a.key.backend;
  const BackendInfo& of_b = *b.key.backend;
  if (&of_a == &of_b) return a.origin < b.origin;
  if (of_a.rank != of_b.rank) return of_a.rank > of_b.rank;
  return RanksBelow(of_a, of_b);
}

const OpKernels* KernelTable::Find(std::string_view op) const {
  const auto* op_kernels =
      std::lower_bound(ops_.begin(), ops_.end(), op,
                       [](const OpKernels* candidate, std::string_view name) {
                         return std::string_view(candidate->op) < name;
                       });
  if (op_kernels == ops_.end() || (*op_kernels)->op != op) return nullptr;
  return *op_kernels;
}

const BackendInfo* KernelTable::FindBackend(std::string_view name) const {
  for (const BackendInfo* backend : backends_) {
    if (backend->name == name) return backend;
  }
  return nullptr;
}

}  // namespace switchyard::phi

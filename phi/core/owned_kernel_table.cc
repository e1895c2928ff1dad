// SPDX-License-Identifier: Apache-2.0
#include "phi/core/owned_kernel_table.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace switchyard::phi {
namespace {

bool OpThenCandidateBefore(const KernelDef* a, const KernelDef* b) {
  const int by_name = std::string_view(a->op).compare(b->op);
  return by_name != 0 ? by_name < 0 : CandidateBefore(*a, *b);
}

// `kernels` are one operator's, sorted.
OpRow MakeRow(absl::Span<const KernelDef* const> kernels) {
  OpRow row{};
  row.op = kernels.front()->op;
  row.kernels = kernels;
  size_t next = 0;
  for (int dtype = 0; dtype <= kNumDataTypes; ++dtype) {
    while (next < kernels.size() &&
           static_cast<int>(kernels[next]->key.dtype) < dtype) {
      ++next;
    }
    row.begins[dtype] = static_cast<uint16_t>(next);
  }
  return row;
}

}  // namespace

OwnedKernelTable::OwnedKernelTable(std::vector<const KernelDef*> sorted)
    : kernels_(std::move(sorted)), table_({}) {
  for (size_t begin = 0; begin < kernels_.size();) {
    const std::string_view op = kernels_[begin]->op;
    size_t end = begin;
    while (end < kernels_.size() && kernels_[end]->op == op) ++end;
    rows_.push_back(
        MakeRow(absl::MakeConstSpan(kernels_).subspan(begin, end - begin)));
    begin = end;
  }
  for (const OpRow& row : rows_) row_pointers_.push_back(&row);
  table_ = KernelTable(row_pointers_);
  RaiseKernelTableEpoch();
}

absl::StatusOr<std::unique_ptr<const OwnedKernelTable>> MakeKernelTable(
    absl::Span<const KernelDef* const> kernels) {
  std::vector<const KernelDef*> sorted(kernels.begin(), kernels.end());
  std::sort(sorted.begin(), sorted.end(), OpThenCandidateBefore);
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (OpThenCandidateBefore(sorted[i - 1], sorted[i])) continue;
    const KernelDef& a = *sorted[i - 1];
    const KernelDef& b = *sorted[i];
    return absl::AlreadyExistsError(absl::StrCat(
        a.op, ": kernel ", a.kernel, " for ", std::string(Name(a.key.backend)),
        " ", std::string(Name(a.key.dtype)), " must be registered once, got ",
        a.file, ":", a.line, " and ", b.file, ":", b.line));
  }
  return std::unique_ptr<const OwnedKernelTable>(
      new OwnedKernelTable(std::move(sorted)));
}

}  // namespace switchyard::phi

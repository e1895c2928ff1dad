// SPDX-License-Identifier: Apache-2.0
#include "phi/core/owned_kernel_table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "phi/core/composites/composite_closure.h"
#include "phi/core/table_parts.h"

namespace switchyard::phi {
namespace {

bool OpThenCandidateBefore(const KernelDef* a, const KernelDef* b) {
  const int by_op = std::string_view(a->op).compare(b->op);
  if (by_op != 0) return by_op < 0;
  if (CandidateBefore(*a, *b)) return true;
  if (CandidateBefore(*b, *a)) return false;
  return std::string_view(a->kernel) < b->kernel;
}

}  // namespace

OwnedKernelTable::OwnedKernelTable(std::vector<const KernelDef*> sorted)
    : kernels_(std::move(sorted)) {
  for (size_t begin = 0; begin < kernels_.size();) {
    const std::string_view op = kernels_[begin]->op;
    size_t end = begin;
    while (end < kernels_.size() && kernels_[end]->op == op) ++end;
    ops_.push_back(MakeOpKernels(
        kernels_[begin]->op,
        absl::MakeConstSpan(kernels_).subspan(begin, end - begin)));
    begin = end;
  }
  for (const OpKernels& op_kernels : ops_) op_pointers_.push_back(&op_kernels);
  AddBackends(kernels_, &backends_);
  table_ = KernelTable(op_pointers_, backends_);
  CompositeClosure closure(table_);
  for (OpKernels& op_kernels : ops_) {
    if (op_kernels.composite == nullptr || closure.empty()) continue;
    composed_on_.push_back(closure.Of(*op_kernels.composite));
    op_kernels.composed_on = composed_on_.back();
  }
  RaiseKernelTableEpoch();
}

absl::StatusOr<std::unique_ptr<const OwnedKernelTable>> MakeKernelTable(
    absl::Span<const KernelDef* const> kernels) {
  std::vector<const KernelDef*> sorted(kernels.begin(), kernels.end());
  std::sort(sorted.begin(), sorted.end(), OpThenCandidateBefore);
  std::unique_ptr<const OwnedKernelTable> made(
      new OwnedKernelTable(std::move(sorted)));
  for (const OpKernels& op_kernels : made->ops_) {
    SY_RETURN_IF_ERROR(CheckDistinct(op_kernels.kernels));
  }
  SY_RETURN_IF_ERROR(CheckBackends(made->backends_));
  return made;
}

}  // namespace switchyard::phi

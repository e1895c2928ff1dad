// SPDX-License-Identifier: Apache-2.0
#include "tests/binary/equal_candidates.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "phi/selection/selection.h"

namespace switchyard {
namespace {

using phi::ArgDef;
using phi::Condition;
using phi::KernelDef;

bool Same(const Condition& a, const Condition& b) {
  return a.kind == b.kind && a.input == b.input && a.attr == b.attr &&
         a.axis == b.axis && a.value == b.value;
}

// Whether `needed`, a condition or a whole group, is one of `had`.
bool IsOneOf(absl::Span<const Condition> needed,
             absl::Span<const Condition> had) {
  for (size_t i = 0; i < had.size(); i += phi::NumEntries(had[i])) {
    const auto one = had.subspan(i, phi::NumEntries(had[i]));
    if (std::equal(needed.begin(), needed.end(), one.begin(), one.end(),
                   &Same)) {
      return true;
    }
  }
  return false;
}

// Whether `a` takes every tensor that `b` takes, or yields what it yields.
bool Covers(const ArgDef& a, const ArgDef& b) {
  if (a.kind != b.kind) return false;
  if (a.dtype_rule == ArgDef::Dtype::kAny) return true;
  if (a.dtype_rule != b.dtype_rule) return false;
  if (a.dtype_rule == ArgDef::Dtype::kFixed) return a.fixed == b.fixed;
  if (a.dtype_rule != ArgDef::Dtype::kSet) return true;
  for (int i = 1; i < kNumDataTypes; ++i) {
    const auto dtype = static_cast<DataType>(i);
    if (b.set.contains(dtype) && !a.set.contains(dtype)) return false;
  }
  return true;
}

bool Covers(absl::Span<const ArgDef> a, absl::Span<const ArgDef> b) {
  return a.size() == b.size() &&
         std::equal(
             a.begin(), a.end(), b.begin(),
             [](const ArgDef& x, const ArgDef& y) { return Covers(x, y); });
}

bool EqualRank(const KernelDef& a, const KernelDef& b) {
  return a.key.dtype == b.key.dtype && a.origin == b.origin &&
         a.key.backend->device == b.key.backend->device &&
         a.key.backend->rank == b.key.backend->rank;
}

// Whether `first` takes every call that `second` takes.
bool Shadows(const KernelDef& first, const KernelDef& second) {
  if (!Covers(first.inputs, second.inputs)) return false;
  if (!Covers(first.outputs, second.outputs)) return false;
  if (!first.empty_ok && second.empty_ok) return false;
  if (!first.thread_invariant && second.thread_invariant) return false;
  if (first.layouts != nullptr && first.layouts != second.layouts) return false;
  for (size_t i = 0; i < first.conditions.size();) {
    const size_t entries = phi::NumEntries(first.conditions[i]);
    if (!IsOneOf(first.conditions.subspan(i, entries), second.conditions)) {
      return false;
    }
    i += entries;
  }
  return true;
}

}  // namespace

std::vector<std::string> FindEqualCandidates(
    absl::Span<const phi::OpKernels* const> operators) {
  std::vector<std::string> found;
  for (const phi::OpKernels* row : operators) {
    for (size_t i = 0; i < row->kernels.size(); ++i) {
      for (size_t j = i + 1; j < row->kernels.size(); ++j) {
        const KernelDef& first = *row->kernels[i];
        const KernelDef& second = *row->kernels[j];
        if (!EqualRank(first, second) || !Shadows(first, second)) continue;
        found.push_back(absl::StrCat(
            std::string(phi::selection::SourceFile(second)), ":", second.line,
            ": ", second.op, ": kernel ", second.kernel,
            " must take a call that ", first.kernel, " (",
            std::string(phi::selection::SourceFile(first)), ":", first.line,
            ") of the same rank does not take, got ",
            phi::selection::KernelText(second), " after it"));
      }
    }
  }
  return found;
}

}  // namespace switchyard

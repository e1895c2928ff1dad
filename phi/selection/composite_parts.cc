// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/composite_parts.h"

#include <algorithm>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "phi/selection/candidate_loop.h"

namespace switchyard::phi::selection {
namespace {

bool HasKernel(std::string_view op, DataType dtype, Place place,
               const KernelTable& table) {
  const OpKernels* const kernels = table.Find(op);
  if (kernels == nullptr) return false;
  const auto candidates = kernels->candidates(dtype);
  return std::any_of(
      candidates.begin(), candidates.end(),
      [place](const KernelDef* def) { return Serves(*def, place); });
}

}  // namespace

bool PartsHaveKernels(std::string_view op, DataType dtype, Place place,
                      const KernelTable& table) {
  const auto all = AllCompositeParts();
  const auto* const found =
      std::lower_bound(all.begin(), all.end(), op,
                       [](const CompositeParts& one, std::string_view name) {
                         return std::string_view(one.op) < name;
                       });
  if (found == all.end() || std::string_view(found->op) != op) return false;
  for (const absl::string_view name :
       absl::StrSplit(found->parts, ' ', absl::SkipEmpty())) {
    const std::string_view part(name.data(), name.size());
    // The entries' composites are in no circle (static_graph/lowering refuses
    // one).
    if (!HasKernel(part, dtype, place, table) &&
        !PartsHaveKernels(part, dtype, place, table)) {
      return false;
    }
  }
  return true;
}

}  // namespace switchyard::phi::selection

// SPDX-License-Identifier: Apache-2.0
#include "phi/core/composites/composite_def.h"

#include <algorithm>

namespace switchyard::phi {

const CompositeDef* FindComposite(std::string_view op) {
  const absl::Span<const CompositeDef> all = AllComposites();
  const auto* const found =
      std::lower_bound(all.begin(), all.end(), op,
                       [](const CompositeDef& one, std::string_view name) {
                         return std::string_view(one.op) < name;
                       });
  return found == all.end() || found->op != op ? nullptr : found;
}

}  // namespace switchyard::phi

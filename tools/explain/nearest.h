// SPDX-License-Identifier: Apache-2.0
// NearestName: what a mistyped name may have meant.
#ifndef SWITCHYARD_TOOLS_EXPLAIN_NEAREST_H_
#define SWITCHYARD_TOOLS_EXPLAIN_NEAREST_H_

#include <string>
#include <string_view>

#include "absl/types/span.h"

namespace switchyard::phi::selection {

// The name at the smallest edit distance from `typed` (insertions, deletions,
// substitutions and exchanges of neighbours), the first of those that are
// equally near; "" if none is within a third of its length.
std::string NearestName(std::string_view typed,
                        absl::Span<const std::string_view> names);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_TOOLS_EXPLAIN_NEAREST_H_

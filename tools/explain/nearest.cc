// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/nearest.h"

#include <algorithm>
#include <vector>

namespace switchyard::phi::selection {
namespace {

// The optimal string alignment distance.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1,
                         above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = above;
    above = row;
  }
  return above.back();
}

}  // namespace

std::string NearestName(std::string_view typed,
                        absl::Span<const std::string_view> names) {
  std::string nearest;
  size_t smallest = typed.size();
  for (const std::string_view name : names) {
    const size_t distance = Distance(typed, name);
    const size_t most = std::max<size_t>(1, name.size() / 3);
    if (distance > most || distance >= smallest) continue;
    smallest = distance;
    nearest = std::string(name);
  }
  return nearest;
}

}  // namespace switchyard::phi::selection

// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/nearest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops_gen/parser/scanner.h"

namespace switchyard::ops_gen {
namespace {

// How many letters must be added, left out, exchanged or swapped with their
// neighbour to make `b` of `a`, no letter twice.
size_t Distance(std::string_view a, std::string_view b) {
  // Row i, of the first i letters of `a`: the two before are kept.
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1),
      row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t exchanged = last[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, exchanged});
      const bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view Nearest(std::string_view word,
                         absl::Span<const std::string_view> names) {
  std::string_view nearest;
  // Any letter is near to any other; a word much longer than any name is no
  // typing mistake.
  if (word.size() < 2 || word.size() > 100) return nearest;
  size_t least = std::max<size_t>(word.size() / 3, 1) + 1;
  for (const std::string_view name : names) {
    const size_t distance = Distance(word, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

std::string Guessed(std::string_view word,
                    absl::Span<const std::string_view> names) {
  const std::string_view nearest = Nearest(word, names);
  if (nearest.empty() || nearest == word) return Quoted(word);
  return absl::StrCat(Quoted(word), "; did you mean ", Quoted(nearest), "?");
}

}  // namespace switchyard::ops_gen

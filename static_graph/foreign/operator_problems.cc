// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/operator_problems.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {
namespace {

// Longer than any operator's name: not looked for among the others.
constexpr size_t kLongestName = 100;
// More problems than anybody reads.
constexpr size_t kMaxProblems = 200;

// The optimal string alignment distance.
size_t Edits(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (size_t k = 0; k <= b.size(); ++k) last[k] = k;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t k = 1; k <= b.size(); ++k) {
      const size_t replaced = last[k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
      row[k] = std::min({last[k] + 1, row[k - 1] + 1, replaced});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        row[k] = std::min(row[k], before[k - 2] + 1);
      }
    }
    before = last;
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

void OperatorProblems::Add(const absl::Status& status, std::string_view place) {
  if (status.ok()) return;
  unimplemented_ |= absl::IsUnimplemented(status);
  if (++count_ > kMaxProblems) return;
  problems_.push_back(Annotate(status, place));
}

bool OperatorProblems::listed() const { return count_ < kMaxProblems; }

absl::Status OperatorProblems::Summary() const {
  if (problems_.size() < 2) {
    return problems_.empty() ? absl::OkStatus() : problems_.front();
  }
  std::string text = absl::StrCat(count_, " operators can't be translated:");
  for (const absl::Status& problem : problems_) {
    absl::StrAppend(&text, "\n", std::string(problem.message()));
  }
  if (count_ > kMaxProblems) {
    absl::StrAppend(&text, "\nand ", count_ - kMaxProblems, " more");
  }
  return absl::Status(unimplemented_ ? absl::StatusCode::kUnimplemented
                                     : problems_.front().code(),
                      text);
}

std::string NearestName(std::string_view name,
                        absl::Span<const std::string_view> names) {
  if (name.size() > kLongestName) return "";
  size_t fewest = name.size() / 3 + 1;
  std::string nearest;
  for (const std::string_view other : names) {
    const size_t lengths = std::max(name.size(), other.size()) -
                           std::min(name.size(), other.size());
    if (lengths >= fewest) continue;
    const size_t edits = Edits(name, other);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = std::string(other);
  }
  return nearest;
}

}  // namespace switchyard::static_graph

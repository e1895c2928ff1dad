// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/check_operators.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/legacy/every_operator.h"
#include "static_graph/translate/map_operator.h"
#include "static_graph/translate/program_ports.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;

// Longer than any operator's type: not looked for among the others.
constexpr size_t kLongestType = 100;
// More problems than anybody reads.
constexpr size_t kMostProblems = 200;

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

// With `search` the nearest type is looked for where there is none of that
// name.
absl::Status CheckOperator(const OpDesc& op, bool search) {
  const phi::LegacyForm* form = phi::FindLegacyForm(op.type());
  if (form != nullptr) return MapOperator(op, *form).status();
  const std::string nearest = search ? NearestLegacyType(op.type()) : "";
  return absl::UnimplementedError(absl::StrCat(
      "no operator has a legacy form of this type",
      nearest.empty() ? "" : absl::StrCat("; the nearest is ", nearest)));
}

}  // namespace

std::string NearestLegacyType(std::string_view type) {
  if (type.size() > kLongestType) return "";
  size_t fewest = type.size() / 3 + 1;
  std::string nearest;
  for (const phi::LegacyForm* form : phi::AllLegacyForms()) {
    const std::string_view other = form->type;
    const size_t lengths = std::max(type.size(), other.size()) -
                           std::min(type.size(), other.size());
    if (lengths >= fewest) continue;
    const size_t edits = Edits(type, other);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = form->type;
  }
  return nearest;
}

std::string OperatorPlace(int block, int index, std::string_view type) {
  return absl::StrCat("block ", block, ", operator ", index, ", ",
                      std::string(type));
}

absl::Status CheckOperators(const translate::ProgramDesc& program) {
  std::vector<absl::Status> problems;
  size_t count = 0;
  bool unimplemented = false;
  for (const translate::BlockDesc& block : program.blocks()) {
    for (int i = 0; i < block.ops_size(); ++i) {
      const OpDesc& op = block.ops(i);
      if (IsPort(op.type())) continue;
      const absl::Status status = CheckOperator(op, count < kMostProblems);
      if (status.ok()) continue;
      unimplemented |= absl::IsUnimplemented(status);
      if (++count > kMostProblems) continue;
      problems.push_back(
          Annotate(status, OperatorPlace(block.idx(), i, op.type())));
    }
  }
  if (problems.size() < 2) {
    return problems.empty() ? absl::OkStatus() : problems.front();
  }
  std::string text = absl::StrCat(count, " operators can't be translated:");
  for (const absl::Status& problem : problems) {
    absl::StrAppend(&text, "\n", std::string(problem.message()));
  }
  if (count > kMostProblems) {
    absl::StrAppend(&text, "\nand ", count - kMostProblems, " more");
  }
  return absl::Status(unimplemented ? absl::StatusCode::kUnimplemented
                                    : problems.front().code(),
                      text);
}

}  // namespace switchyard::static_graph

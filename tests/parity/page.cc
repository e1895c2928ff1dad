// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/parity/measure.h"

namespace switchyard {
namespace {

constexpr char kTop[] = R"(# Parity of legacy kernels and their twins

The ledger: every operator that has a legacy kernel (phi/fluid) and one of ours
runs on both: all its samples (tests/samples), forward and backward, in every
dtype that both have, on the CPU and on the simulated device, whose rows are the
same. A row passes if each result has the dtype, shape, layout and sequences of
the legacy kernel's, and its elements keep the bound:

- bits: every element has the same bits;
- axis: no element is further off than 4 ULP of the largest magnitude along
  the axis that the operator reduces;
- sum: no element is further off than 4 ULP of the largest magnitude that is
  added up to it; where nothing is added, it has the same bits;
- element: no element is further off than 4 ULP of itself;
- operand: no element is further off than 4 ULP of itself or of the element that
  it is a function of, whichever is larger;
- gradient: no element is further off than 4 ULP of itself or of the gradient
  that flows into it, whichever is larger;
- operands: no element is further off than 16 ULP of the largest magnitude of all
  operands and results; errors grow with the number of terms of a sum.

Functions of one number also run on all 65,536 of float16 and of bfloat16,
backward too. Operators with kernels for SelectedRows run on those, too: the
numbers of the rows and their values are two results.

A legacy kernel may be retired when its rows pass. `sources` is the CRC-32 of the
files of both kernels: a row whose sources have changed since is stale, and the
test says so. The page holds what is the same on every CPU with AVX2 or later;
`./sy ledger` measures and prints the distances, the first result that differs
and the ratio of times, which differ by machine; `./sy ledger OP` tells more of
one operator. SSE4 has no fused multiply-add and is only printed by the test:
softmax of float64 is up to 6 ULP off with it. To renew the page:
`./sy ledger --update`. Whole networks: [parity_networks.md](parity_networks.md).

| operator | dtype | results | bound | sources | verdict |
|---|---|---|---|---|---|
)";

const char* Name(Bound bound) {
  switch (bound) {
    case Bound::kBits:
      return "bits";
    case Bound::kUlpsOfAxis:
      return "axis";
    case Bound::kUlpsOfSum:
      return "sum";
    case Bound::kUlpsOfElement:
      return "element";
    case Bound::kUlpsOfOperand:
      return "operand";
    case Bound::kUlpsOfGradient:
      return "gradient";
    case Bound::kUlpsOfOperands:
      return "operands";
  }
  return "";
}

double TimeRatio(const ParityRow& row) {
  return row.legacy_seconds > 0 ? row.seconds / row.legacy_seconds : 0;
}

}  // namespace

std::string ParityPage(const std::vector<ParityRow>& rows,
                       const std::vector<std::string>& hashes) {
  std::string page = kTop;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ParityRow& row = rows[i];
    absl::StrAppend(&page, "| ", row.op, " | ", std::string(Name(row.dtype)),
                    " | ", row.results, " | ", Name(GetBound(row.op)), " | ",
                    hashes[i], " | ", row.passes() ? "passes" : "fails",
                    " |\n");
  }
  return page;
}

std::string ParityFigures(const std::vector<ParityRow>& rows) {
  std::string figures;
  for (const ParityRow& row : rows) {
    absl::StrAppend(
        &figures, row.op, " ", std::string(Name(row.dtype)), ": ",
        row.passes() ? "passes" : "fails", ", ", row.identical, " of ",
        row.results, " results identical, largest distance ", row.ulps,
        " ULP, ours takes ", absl::StrFormat("%.2f", TimeRatio(row)),
        " of the legacy kernel's time\n");
  }
  return figures;
}

std::string ParityDetail(const ParityRow& row, const std::string& hash) {
  std::string detail = ParityFigures({row});
  absl::StrAppend(&detail, "  bound: ", Name(GetBound(row.op)),
                  "\n  ours: ", row.source, "\n  legacy: ", row.legacy_source,
                  "\n  sources: ", hash, "\n");
  if (!row.first_difference.has_value()) return detail;
  const Difference& first = *row.first_difference;
  absl::StrAppend(&detail, "  first difference: ", first.call, ": ",
                  first.output);
  if (first.index < 0) {
    absl::StrAppend(&detail, " has other metadata\n");
  } else {
    absl::StrAppend(
        &detail, " at element ", first.index, ": ",
        absl::StrFormat("%.17g against %.17g", first.ours, first.legacy), "\n");
  }
  return detail;
}

std::string ParityJson(const std::vector<ParityRow>& rows,
                       const std::vector<std::string>& hashes) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (size_t i = 0; i < rows.size(); ++i) {
    const ParityRow& row = rows[i];
    nlohmann::ordered_json one = {
        {"op", row.op},
        {"dtype", Name(row.dtype)},
        {"passes", row.passes()},
        {"bound", Name(GetBound(row.op))},
        {"results", row.results},
        {"identical", row.identical},
        {"outside", row.outside},
        {"ulps", row.ulps},
        {"time_ratio", TimeRatio(row)},
        {"source", row.source},
        {"legacy_source", row.legacy_source},
        {"sources", hashes[i]},
    };
    if (row.first_difference.has_value()) {
      const Difference& first = *row.first_difference;
      one["first_difference"] = {{"call", first.call},
                                 {"output", first.output},
                                 {"index", first.index},
                                 {"ours", first.ours},
                                 {"legacy", first.legacy}};
    }
    all.push_back(std::move(one));
  }
  return absl::StrCat(all.dump(1), "\n");
}

}  // namespace switchyard

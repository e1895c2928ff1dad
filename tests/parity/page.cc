// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/parity/measure.h"

namespace switchyard {
namespace {

constexpr char kTop[] = R"(# Parity of legacy kernels and their twins

The ledger: every operator that has a legacy kernel (phi/legacy/kernels) and one of ours
runs on both: all its samples (tests/samples), forward and backward, in every
dtype that both have, on the CPU and on the simulated device, whose rows are the
same. A row passes if each result has the dtype, shape, layout and sequences of
the legacy kernel's, and its elements keep the bound:

- bits: every element has the same bits;
- axis: no element is further off than 4 + sqrt(n) ULP of the largest of the n
  magnitudes along the axis that the operator reduces;
- terms: no element, a sum of n terms, is further off than 4 + sqrt(n) ULP of
  the sum of their magnitudes, which the legacy kernel computes in float64 from
  the magnitudes of the operands; where nothing is summed, it has the same bits;
- place: no element is further off than 5 ULP of the largest operand or result
  at its place.

Rounding errors of n additions grow like sqrt(n) (Higham and Mary, SIAM J. Sci.
Comput. 41, 2019). A test puts a fault of one ULP more than its limit into every
element of every result and counts that each is found.

Operators with kernels for SelectedRows run on those, too: the numbers of the
rows and their values are two results.

A legacy kernel that calls a library has rows of its own, with the library's
name: they are measured by calls that ask for it, on the CPU alone. A legacy
kernel may be retired when its rows pass. `sources` is the CRC-32 of the files of
both kernels: a row whose sources have changed since is stale, and the test says
so. The page holds what is the same on every CPU with AVX2 or later;
`./sy ledger` measures and prints the distances, the first result that differs
and the ratio of times, which differ by machine; `./sy ledger OP` tells more of
one operator. SSE4 has no fused multiply-add and is only printed by the test:
softmax of float64 is up to 6 ULP off with it. To renew the page:
`./sy ledger --update`. Whole networks: [parity_networks.md](parity_networks.md).

| operator | dtype | results | bound | sources | verdict |
|---|---|---|---|---|---|
)";

double TimeRatio(const ParityRow& row) {
  return row.legacy_seconds > 0 ? row.seconds / row.legacy_seconds : 0;
}

}  // namespace

std::string ParityRow::name() const {
  return library == nullptr ? op : absl::StrCat(op, " (", library->name, ")");
}

std::string ParityPage(const std::vector<ParityRow>& rows,
                       const std::vector<std::string>& hashes) {
  std::string page = kTop;
  for (size_t i = 0; i < rows.size(); ++i) {
    const ParityRow& row = rows[i];
    absl::StrAppend(&page, "| ", row.name(), " | ",
                    std::string(Name(row.dtype)), " | ", row.results, " | ",
                    std::string(Name(GetBound(row.op))), " | ", hashes[i],
                    " | ", row.passes() ? "passes" : "fails", " |\n");
  }
  return page;
}

std::string ParityFigures(const std::vector<ParityRow>& rows) {
  std::string figures;
  for (const ParityRow& row : rows) {
    absl::StrAppend(
        &figures, row.name(), " ", std::string(Name(row.dtype)), ": ",
        row.passes() ? "passes" : "fails", ", ", row.identical, " of ",
        row.results, " results identical, largest distance ", row.ulps,
        " ULP, ours takes ", absl::StrFormat("%.2f", TimeRatio(row)),
        " of the legacy kernel's time\n");
  }
  return figures;
}

std::string ParityDetail(const ParityRow& row, const std::string& hash) {
  std::string detail = ParityFigures({row});
  absl::StrAppend(&detail, "  bound: ", std::string(Name(GetBound(row.op))),
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
        {"library", row.library == nullptr ? "" : row.library->name},
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

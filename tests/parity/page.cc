// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "tests/parity/measure.h"

namespace switchyard {
namespace {

constexpr char kTop[] =
    "# Parity of legacy kernels and their twins\n"
    "\n"
    "Every operator that has a legacy kernel (phi/fluid) and one of ours runs "
    "on\n"
    "both: all its samples (tests/samples), forward and backward, on the CPU, "
    "in\n"
    "every dtype that both have. A row passes if each result has the dtype, "
    "shape,\n"
    "layout and sequences of the legacy kernel's, and its elements keep the "
    "bound:\n"
    "\n"
    "- bits: every element has the same bits;\n"
    "- axis: no element is further off than 4 ULP of the largest magnitude "
    "along\n"
    "  the axis that the operator reduces;\n"
    "- sum: no element is further off than 4 ULP of the largest magnitude that "
    "is\n"
    "  added up to it; where nothing is added, it has the same bits.\n"
    "\n"
    "A legacy kernel may be retired when its rows pass. The page holds what is "
    "the\n"
    "same on every CPU with AVX2 or later; `//tests/parity:parity_test` checks "
    "it\n"
    "at each vector width that the machine has, and prints the distances and "
    "the\n"
    "number of identical results there. SSE4 has no fused multiply-add and is "
    "only\n"
    "printed: softmax of float64 is up to 6 ULP off with it. To renew the "
    "page:\n"
    "`bazel run //tests/parity:update`.\n"
    "\n"
    "| operator | dtype | results | bound | verdict |\n"
    "|---|---|---|---|---|\n";

const char* Name(Bound bound) {
  switch (bound) {
    case Bound::kBits:
      return "bits";
    case Bound::kUlpsOfAxis:
      return "axis";
    case Bound::kUlpsOfSum:
      return "sum";
  }
  return "";
}

}  // namespace

std::string ParityPage(const std::vector<ParityRow>& rows) {
  std::string page = kTop;
  for (const ParityRow& row : rows) {
    absl::StrAppend(&page, "| ", row.op, " | ", std::string(Name(row.dtype)),
                    " | ", row.results, " | ", Name(GetBound(row.op)), " | ",
                    row.passes() ? "passes" : "fails", " |\n");
  }
  return page;
}

std::string ParityFigures(const std::vector<ParityRow>& rows) {
  std::string figures;
  for (const ParityRow& row : rows) {
    absl::StrAppend(&figures, row.op, " ", std::string(Name(row.dtype)), ": ",
                    row.identical, " of ", row.results,
                    " results identical, largest distance ", row.ulps,
                    " ULP\n");
  }
  return figures;
}

}  // namespace switchyard

// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tests/parity/measure.h"

namespace switchyard {
namespace {

constexpr char kTop[] =
    "# Parity of legacy kernels and their twins\n"
    "\n"
    "Each legacy kernel (phi/fluid) against our kernel on the same inputs, "
    "over\n"
    "the valid samples of tests/samples, on the CPU. Distances are the "
    "largest\n"
    "ones, rounded up to powers of two: in representable numbers (ULP) and\n"
    "absolute, for elements of the order of 1. A row passes if dtype, shape "
    "and\n"
    "layout are the same and every distance is at most 8 ULP or 8 epsilon; a\n"
    "legacy kernel may be retired when its rows pass.\n"
    "\n"
    "Written by `bazel run //tests/parity:update`; "
    "`//tests/parity:parity_test`\n"
    "measures again and compares.\n"
    "\n"
    "| operator | dtype | results | dtype, shape, layout | ULP | difference | "
    "verdict |\n"
    "|---|---|---|---|---|---|---|\n";

// 0, or the exponent of the smallest power of two that is no less.
std::string PowerOfTwo(double value) {
  if (value == 0) return "0";
  return absl::StrCat("2^", std::ceil(std::log2(value)));
}

absl::StatusOr<double> ParsePowerOfTwo(absl::string_view text) {
  int exponent = 0;
  if (text == "0") return 0.0;
  if (!absl::ConsumePrefix(&text, "2^") || !absl::SimpleAtoi(text, &exponent)) {
    return ArgumentError("parity row", "of powers of two", std::string(text));
  }
  return std::exp2(exponent);
}

std::string Begin(const std::string& op, DataType dtype) {
  return absl::StrCat("| ", op, " | ", std::string(Name(dtype)), " | ");
}

}  // namespace

std::string ParityPage(const std::vector<ParityRow>& rows) {
  std::string page = kTop;
  for (const ParityRow& row : rows) {
    absl::StrAppend(&page, Begin(row.op, row.dtype), row.results, " | ",
                    row.same_meta ? "same" : "differ", " | ",
                    PowerOfTwo(static_cast<double>(row.ulps)), " | ",
                    PowerOfTwo(row.difference), " | ",
                    row.passes() ? "passes" : "fails", " |\n");
  }
  return page;
}

absl::StatusOr<ParityRow> FindRow(const std::string& page,
                                  const std::string& op, DataType dtype) {
  for (const absl::string_view line : absl::StrSplit(page, '\n')) {
    absl::string_view rest = line;
    if (!absl::ConsumePrefix(&rest, Begin(op, dtype))) continue;
    const std::vector<std::string> cells = absl::StrSplit(rest, " | ");
    ParityRow row{op, dtype};
    if (cells.size() != 5 || !absl::SimpleAtoi(cells[0], &row.results)) {
      return ArgumentError("parity row", "of seven cells", std::string(line));
    }
    row.same_meta = cells[1] == "same";
    SY_ASSIGN_OR_RETURN(const double ulps, ParsePowerOfTwo(cells[2]));
    row.ulps = static_cast<int64_t>(ulps);
    SY_ASSIGN_OR_RETURN(row.difference, ParsePowerOfTwo(cells[3]));
    return row;
  }
  return absl::NotFoundError(absl::StrCat("no row for ", op));
}

}  // namespace switchyard

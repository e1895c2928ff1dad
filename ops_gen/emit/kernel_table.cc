// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/kernel_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/strings/substitute.h"
#include "framework/base/status.h"
#include "framework/types/backend.h"
#include "framework/types/data_type.h"
#include "phi/core/op_row.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kForm[] = "'op kernel backend dtype place'";

// A line about one kernel.
struct Kernel {
  std::string op;
  std::string name;
  std::string symbol;
  phi::KernelKey key;
  phi::Form form = phi::Form::kPhi;
  int place = 0;  // Of its function in the entry.
};

bool Before(const Kernel& a, const Kernel& b) {
  const auto rank = [](const Kernel& kernel) {
    return std::make_tuple(static_cast<int>(kernel.key.dtype),
                           phi::CandidateRank(kernel.key.backend, kernel.form),
                           kernel.place, std::string_view(kernel.name));
  };
  return rank(a) < rank(b);
}

absl::StatusOr<Kernel> ParseKernel(const std::string& line,
                                   const std::vector<std::string>& words) {
  Kernel kernel;
  kernel.op = words[0];
  kernel.name = words[1];
  const bool guest = absl::StartsWith(words[2], "fluid/");
  const std::string backend(absl::StripPrefix(words[2], "fluid/"));
  const std::optional<Backend> parsed_backend = ParseBackend(backend);
  const std::optional<DataType> dtype = ParseDataType(words[3]);
  if (!parsed_backend.has_value() || !dtype.has_value() ||
      !absl::SimpleAtoi(words[4], &kernel.place)) {
    return ArgumentError("kernel set", kForm, line);
  }
  kernel.key = {*parsed_backend, DataLayout::kStrided, *dtype};
  kernel.form = guest ? phi::Form::kFluid : phi::Form::kPhi;
  kernel.symbol = absl::StrCat("kernel_", kernel.name, guest ? "_fluid" : "",
                               "_", backend, "_", words[3]);
  return kernel;
}

using Rows = std::map<std::string, std::vector<Kernel>>;

absl::StatusOr<Rows> ParseRows(const std::vector<std::string>& lines) {
  Rows rows;
  for (const std::string& line : lines) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    std::vector<Kernel>& kernels = rows[words[0]];
    if (words.size() == 1) continue;
    if (words.size() != 5) return ArgumentError("kernel set", kForm, line);
    SY_ASSIGN_OR_RETURN(Kernel kernel, ParseKernel(line, words));
    kernels.push_back(std::move(kernel));
  }
  for (auto& [op, kernels] : rows) {
    std::sort(kernels.begin(), kernels.end(), Before);
    for (size_t i = 1; i < kernels.size(); ++i) {
      if (kernels[i - 1].symbol == kernels[i].symbol) {
        return ArgumentError("kernel set", "each kernel once",
                             absl::StrCat(kernels[i].symbol, " twice"));
      }
    }
  }
  return rows;
}

// Where each dtype's kernels begin, and the end.
std::vector<std::string> Begins(const std::vector<Kernel>& kernels) {
  std::vector<std::string> begins;
  for (int d = 0; d <= kNumDataTypes; ++d) {
    const auto count = std::count_if(
        kernels.begin(), kernels.end(),
        [&](const Kernel& k) { return static_cast<int>(k.key.dtype) < d; });
    begins.push_back(absl::StrCat(count));
  }
  return begins;
}

std::string RowText(const std::string& op, const std::vector<Kernel>& kernels) {
  std::string text = absl::StrCat("\nextern const OpRow op_", op, ";\n");
  std::string list = "{}";
  if (!kernels.empty()) {
    list = absl::StrCat("kKernels_", op);
    absl::StrAppend(&text, "static constexpr const KernelDef* ", list,
                    "[] = {\n");
    for (const Kernel& kernel : kernels) {
      absl::StrAppend(&text, "    &", kernel.symbol, ",\n");
    }
    text += "};\n";
  }
  absl::StrAppend(&text, "constexpr OpRow op_", op, " = {\n    \"", op, "\",\n",
                  "    ", list, ",\n",
                  Fill("    {", Begins(kernels), "},\n", 8), "};\n");
  return text;
}

}  // namespace

absl::StatusOr<std::vector<GeneratedFile>> EmitKernelTable(
    const std::vector<std::string>& lines) {
  SY_ASSIGN_OR_RETURN(const Rows rows, ParseRows(lines));
  std::string body = "\n";
  for (const auto& [op, kernels] : rows) {
    for (const Kernel& kernel : kernels) {
      absl::StrAppend(&body, "extern const KernelDef ", kernel.symbol, ";\n");
    }
  }
  std::string list;
  for (const auto& [op, kernels] : rows) {
    body += RowText(op, kernels);
    absl::StrAppend(&list, "      &op_", op, ",\n");
  }
  absl::StrAppend(&body,
                  "\nconst KernelTable& LinkedKernels() {\n"
                  "  static constexpr const OpRow* kRows[] = {\n",
                  list,
                  "  };\n"
                  "  static constexpr KernelTable kTable(kRows);\n"
                  "  return kTable;\n"
                  "}\n");
  return std::vector<GeneratedFile>{
      {"kernel_table.gen.cc", Source(AggregateTop(), "phi/core/op_row.h", {},
                                     "switchyard::phi", body)}};
}

}  // namespace switchyard::ops_gen

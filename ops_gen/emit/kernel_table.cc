// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/emit/kernel_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/strings/substitute.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"

namespace switchyard::ops_gen {
namespace {

constexpr char kForm[] = "'op kernel backend dtype place'";

// A line about one kernel.
struct Kernel {
  std::string op;
  std::string name;
  std::string symbol;
  DataType dtype = DataType::kUndefined;
  int place = 0;  // Of its function in the entry.
};

// Backends are ordered when the table is made: their ranks are their own.
bool Before(const Kernel& a, const Kernel& b) {
  return std::tie(a.dtype, a.place, a.symbol) <
         std::tie(b.dtype, b.place, b.symbol);
}

// A part of a C++ identifier.
bool IsName(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

absl::StatusOr<Kernel> ParseKernel(const std::string& line,
                                   const std::vector<std::string>& words) {
  Kernel kernel;
  kernel.op = words[0];
  kernel.name = words[1];
  const bool legacy = absl::StartsWith(words[2], "fluid/");
  const std::string backend(absl::StripPrefix(words[2], "fluid/"));
  const std::optional<DataType> dtype = ParseDataType(words[3]);
  if (!IsName(backend) || !dtype.has_value() ||
      !absl::SimpleAtoi(words[4], &kernel.place)) {
    return ArgumentError("kernel set", kForm, line);
  }
  kernel.dtype = *dtype;
  kernel.symbol = absl::StrCat("kernel_", kernel.name, legacy ? "_fluid" : "",
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

std::string SlotText(const std::string& op,
                     const std::vector<Kernel>& kernels) {
  std::string text = absl::StrCat("\nextern OpSlot kernels_", op, ";\n");
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
  absl::StrAppend(&text, "OpSlot kernels_", op, "(\n    \"", op, "\", ", list,
                  ", &KernelTables::FindOpKernels);\n");
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
    body += SlotText(op, kernels);
    absl::StrAppend(&list, "      &kernels_", op, ",\n");
  }
  absl::StrAppend(&body,
                  "\nabsl::Span<OpSlot* const> LinkedSlots() {\n"
                  "  static constexpr OpSlot* kSlots[] = {\n",
                  list,
                  "  };\n"
                  "  return kSlots;\n"
                  "}\n");
  return std::vector<GeneratedFile>{
      {"kernel_table.gen.cc", Source(AggregateTop(), "phi/core/kernel_tables.h",
                                     {}, "switchyard::phi", body)}};
}

}  // namespace switchyard::ops_gen

// SPDX-License-Identifier: Apache-2.0
#include "tests/parity/legacy_kernels.h"

#include <regex>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "phi/core/kernel_table.h"
#include "phi/core/kernel_tables.h"

namespace switchyard {
namespace {

using Faults = std::vector<std::string>;

struct Retired {
  std::string date;
  std::string verdict;
  std::set<std::string> dtypes;
};

struct List {
  KernelDtypes present;
  std::map<std::string, Retired> retired;
};

KernelDtypes Linked(phi::KernelOrigin origin) {
  KernelDtypes linked;
  for (const phi::OpKernels* row : phi::KernelTables::Current().ops()) {
    for (const phi::KernelDef* kernel : row->kernels) {
      if (kernel->origin != origin) continue;
      const std::string backend(kernel->key.backend->name);
      linked[absl::StrCat(kernel->op, " ", backend)].insert(
          std::string(Name(kernel->key.dtype)));
    }
  }
  return linked;
}

// Adds what a line says to `list`, or what is wrong with it to `faults`.
void ReadLine(const std::string& line, bool retired, List* list,
              Faults* faults) {
  std::istringstream words(line);
  std::string op, device;
  words >> op >> device;
  const std::string name = absl::StrCat(op, " ", device);
  if (list->present.count(name) + list->retired.count(name) > 0) {
    faults->push_back(absl::StrCat(name, " is listed twice"));
  }
  if (retired) {
    Retired& kernel = list->retired[name];
    words >> kernel.date >> kernel.verdict;
    for (std::string dtype; words >> dtype;) kernel.dtypes.insert(dtype);
    return;
  }
  std::set<std::string>& dtypes = list->present[name];
  for (std::string dtype; words >> dtype;) dtypes.insert(dtype);
}

List ReadList(const std::string& text, Faults* faults) {
  List list;
  bool retired = false;
  for (const absl::string_view view : absl::StrSplit(text, '\n')) {
    const std::string line(view);
    if (line.empty() || line[0] == '#') continue;
    if (line == "retired:") {
      retired = true;
    } else {
      ReadLine(line, retired, &list, faults);
    }
  }
  if (!retired) faults->push_back("the list has no line `retired:`");
  return list;
}

std::string Text(const std::set<std::string>& dtypes) {
  return absl::StrJoin(dtypes, " ");
}

const std::set<std::string>& DtypesOf(const std::string& name,
                                      const KernelDtypes& kernels) {
  static const auto* const kNone = new std::set<std::string>();
  const auto it = kernels.find(name);
  return it == kernels.end() ? *kNone : it->second;
}

// A kernel's operator and backend; the plain backend of the same device too
// where the backend is a library's, whose kernels wait for calls that ask.
struct ListedKernel {
  explicit ListedKernel(const std::string& name)
      : op(name.substr(0, name.find(' '))),
        backend(name.substr(name.find(' ') + 1)) {}

  bool of_library() const { return backend == "onednn"; }
  // The operator as rows of docs/parity.md have it.
  std::string row() const {
    return of_library() ? absl::StrCat(op, " (", backend, ")") : op;
  }
  // The dtypes of its twins of ours.
  std::set<std::string> DtypesOfTwins(const KernelDtypes& twins) const {
    std::set<std::string> dtypes =
        DtypesOf(absl::StrCat(op, " ", backend), twins);
    if (of_library()) {
      const std::set<std::string>& plain = DtypesOf(op + " cpu", twins);
      dtypes.insert(plain.begin(), plain.end());
    }
    return dtypes;
  }

  std::string op, backend;
};

bool HasPassingRow(const std::string& page, const std::string& row,
                   const std::string& dtype) {
  for (const absl::string_view line : absl::StrSplit(page, '\n')) {
    if (absl::StartsWith(line, absl::StrCat("| ", row, " | ", dtype, " | "))) {
      return absl::EndsWith(line, " | passes |");
    }
  }
  return false;
}

void CheckPresent(const std::string& name, const std::set<std::string>& dtypes,
                  const std::string& page, const KernelDtypes& linked,
                  const KernelDtypes& twins, Faults* faults) {
  if (DtypesOf(name, linked) != dtypes) {
    faults->push_back(absl::StrCat(name, " must be registered for ",
                                   Text(dtypes), ", got ",
                                   Text(DtypesOf(name, linked))));
  }
  const ListedKernel kernel(name);
  for (const std::string& dtype : dtypes) {
    if (kernel.DtypesOfTwins(twins).count(dtype) == 0) continue;
    if (HasPassingRow(page, kernel.row(), dtype)) continue;
    faults->push_back(absl::StrCat(
        name, " must have a row of docs/parity.md that passes for ", dtype));
  }
}

void CheckRetired(const std::string& name, const Retired& retired,
                  const KernelDtypes& linked, const KernelDtypes& twins,
                  Faults* faults) {
  static const auto* const kDate =
      new std::regex("[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])");
  if (!std::regex_match(retired.date, *kDate)) {
    faults->push_back(absl::StrCat(
        name, " must be retired with a date like 2026-01-31, got \"",
        retired.date, "\""));
  }
  if (retired.verdict != "passes") {
    faults->push_back(
        absl::StrCat(name, " must be retired with the verdict passes, got \"",
                     retired.verdict, "\""));
  }
  if (!DtypesOf(name, linked).empty()) {
    faults->push_back(absl::StrCat(name, " is retired but still registered"));
  }
  if (retired.dtypes.empty()) {
    faults->push_back(absl::StrCat(
        name, " must be retired with the dtypes that it had, got none"));
  }
  for (const std::string& dtype : retired.dtypes) {
    if (ListedKernel(name).DtypesOfTwins(twins).count(dtype) > 0) continue;
    faults->push_back(
        absl::StrCat(name, " is retired but has no twin for ", dtype));
  }
}

}  // namespace

KernelDtypes LinkedLegacyKernels() { return Linked(phi::KernelOrigin::kFluid); }
KernelDtypes LinkedTwins() { return Linked(phi::KernelOrigin::kPhi); }

std::vector<std::string> FindLegacyKernelFaults(const std::string& list,
                                                const std::string& page,
                                                const KernelDtypes& linked,
                                                const KernelDtypes& twins) {
  Faults faults;
  const List read = ReadList(list, &faults);
  for (const auto& [name, dtypes] : read.present) {
    CheckPresent(name, dtypes, page, linked, twins, &faults);
  }
  for (const auto& [name, kernel] : read.retired) {
    CheckRetired(name, kernel, linked, twins, &faults);
  }
  for (const auto& [name, dtypes] : linked) {
    if (read.present.count(name) + read.retired.count(name) > 0) continue;
    faults.push_back(
        absl::StrCat(name,
                     " is registered but not in "
                     "phi/legacy/kernels/legacy_kernels.txt; add \"",
                     name, " ", Text(dtypes), "\" above `retired:`"));
  }
  return faults;
}

std::vector<std::string> FindReadmeFaults(const std::string& readme,
                                          const KernelDtypes& linked,
                                          const KernelDtypes& twins) {
  Faults faults;
  std::map<std::string, std::string> forms;
  for (const absl::string_view view : absl::StrSplit(readme, '\n')) {
    const std::vector<std::string> cells = absl::StrSplit(view, " | ");
    if (cells.size() != 3) continue;
    const std::string form(absl::StripPrefix(cells[0], "| "));
    if (form != "alone" && form != "both") continue;
    const absl::string_view ops = absl::StripSuffix(cells[2], " |");
    for (const absl::string_view op : absl::StrSplit(ops, ", ")) {
      if (forms.emplace(op, form).second) continue;
      faults.push_back(absl::StrCat(op, " is in the table twice"));
    }
  }
  std::set<std::string> ops;
  for (const auto& [name, dtypes] : linked) {
    const ListedKernel kernel(name);
    if (absl::EndsWith(kernel.op, "_grad")) continue;
    const std::string form =
        kernel.DtypesOfTwins(twins).empty() ? "alone" : "both";
    if (forms[kernel.op] != form) {
      faults.push_back(absl::StrCat(kernel.op, " must be in a row `", form,
                                    "` of phi/legacy/kernels/README.md, got `",
                                    forms[kernel.op], "`"));
    }
    ops.insert(kernel.op);
  }
  for (const auto& [op, form] : forms) {
    if (ops.count(op) > 0) continue;
    faults.push_back(
        absl::StrCat(op,
                     " is in the table of phi/legacy/kernels/README.md"
                     " but has no legacy kernel"));
  }
  return faults;
}

}  // namespace switchyard

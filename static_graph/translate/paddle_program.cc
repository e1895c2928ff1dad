// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/paddle_program.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/file.h"
#include "static_graph/translate/json_program.h"
#include "static_graph/translate/json_translator.h"
#include "static_graph/translate/program_desc.h"
#include "static_graph/translate/translator.h"
#include "static_graph/translate/weight_stream.h"

namespace switchyard::static_graph {
namespace {

namespace fs = std::filesystem;

constexpr char kJson[] = ".json";

struct Files {
  fs::path program;
  fs::path weights;  // Empty: one file per weight, beside the program.
};

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// The weights of `program`, in one file if there is one of a usual name.
Files BesideProgram(const fs::path& program) {
  fs::path same_stem = program;
  same_stem.replace_extension(".pdiparams");
  const fs::path folder = program.parent_path();
  for (const fs::path& weights : {same_stem, folder / "__params__",
                                  folder / "params", folder / "weights"}) {
    if (weights != program && IsFile(weights)) return {program, weights};
  }
  return {program, fs::path()};
}

// Other files may be JSON, too: of several, programs are those beside which
// there are weights of the same stem.
std::vector<fs::path> ProgramsInJson(std::vector<fs::path> files) {
  if (files.size() == 1) return files;
  std::vector<fs::path> programs;
  for (const fs::path& file : files) {
    fs::path weights = file;
    weights.replace_extension(".pdiparams");
    if (IsFile(weights)) programs.push_back(file);
  }
  return programs;
}

absl::StatusOr<Files> FindFiles(const std::string& folder) {
  const fs::path root(folder);
  if (IsFile(root / "__model__")) return BesideProgram(root / "__model__");
  std::vector<fs::path> programs, others;
  std::error_code error;
  // Not a range-for, whose steps throw.
  for (fs::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() == ".pdmodel") programs.push_back(path);
    if (path.extension() == kJson) others.push_back(path);
  }
  if (programs.empty()) programs = ProgramsInJson(std::move(others));
  if (programs.size() == 1) return BesideProgram(programs[0]);
  std::sort(programs.begin(), programs.end());
  std::string names;
  for (const fs::path& program : programs) {
    absl::StrAppend(&names, names.empty() ? ": " : ", ",
                    program.filename().string());
  }
  return absl::NotFoundError(absl::StrCat(
      folder, ": must hold __model__, one *.pdmodel or one *.json, got ",
      programs.size(), " of them", names));
}

// A variable's name as a file beside the program: nothing that leads elsewhere.
absl::StatusOr<fs::path> WeightFile(const fs::path& folder,
                                    const std::string& variable) {
  const fs::path name(variable);
  const bool leads_away =
      name.is_absolute() || name.filename().empty() ||
      std::find(name.begin(), name.end(), fs::path("..")) != name.end() ||
      variable.find('\0') != std::string::npos;
  if (leads_away) {
    return ArgumentError("variable", "the name of a file in the folder",
                         absl::StrCat("'", variable, "'"));
  }
  return folder / name;
}

absl::StatusOr<std::vector<NamedTensor>> ReadOneByOne(
    const fs::path& program, const std::vector<StateVariable>& variables) {
  const fs::path folder = program.parent_path();
  std::vector<NamedTensor> tensors;
  for (const StateVariable& variable : variables) {
    SY_ASSIGN_OR_RETURN(const fs::path path, WeightFile(folder, variable.name));
    std::error_code error;
    if (tensors.empty() && !fs::exists(path, error)) {
      return absl::NotFoundError(absl::StrCat(
          path.string(), ": there must be this file, or all weights in one: ",
          program.stem().string(), ".pdiparams, __params__, params, weights"));
    }
    SY_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path.string()));
    WeightReader reader(bytes);
    absl::StatusOr<DenseTensor> tensor =
        reader.Read(variable.name, variable.spec);
    if (tensor.ok()) {
      const absl::Status whole = reader.Finish();
      if (!whole.ok()) tensor = whole;
    }
    if (!tensor.ok()) return Annotate(tensor.status(), path.string());
    tensors.push_back({variable.name, *std::move(tensor)});
  }
  return tensors;
}

absl::StatusOr<std::vector<NamedTensor>> ReadTogether(
    const fs::path& path, const std::vector<StateVariable>& variables) {
  SY_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path.string()));
  std::vector<size_t> by_name(variables.size());
  for (size_t i = 0; i < by_name.size(); ++i) by_name[i] = i;
  std::sort(by_name.begin(), by_name.end(), [&](size_t a, size_t b) {
    return variables[a].name < variables[b].name;
  });
  WeightReader reader(bytes);
  std::vector<NamedTensor> tensors(variables.size());
  for (const size_t i : by_name) {
    absl::StatusOr<DenseTensor> tensor =
        reader.Read(variables[i].name, variables[i].spec);
    if (!tensor.ok()) return Annotate(tensor.status(), path.string());
    tensors[i] = {variables[i].name, *std::move(tensor)};
  }
  const absl::Status whole = reader.Finish();
  if (!whole.ok()) return Annotate(whole, path.string());
  return tensors;
}

absl::StatusOr<TranslatedProgram> Translated(const std::string& bytes,
                                             bool json, ir::Context* context) {
  if (json) {
    SY_ASSIGN_OR_RETURN(const JsonBlock block, ParseJsonProgram(bytes));
    return TranslateJsonProgram(block, "main", context);
  }
  SY_ASSIGN_OR_RETURN(const translate::ProgramDesc desc,
                      ParseProgramDesc(bytes));
  return TranslateProgram(desc, "main", context);
}

absl::StatusOr<TranslatedProgram> ReadProgram(const fs::path& path,
                                              ir::Context* context) {
  SY_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path.string()));
  absl::StatusOr<TranslatedProgram> translated =
      Translated(bytes, path.extension() == kJson, context);
  if (!translated.ok()) return Annotate(translated.status(), path.string());
  return translated;
}

}  // namespace

absl::StatusOr<LoadedProgram> LoadPaddleProgram(ir::Context* context,
                                                const std::string& path,
                                                const std::string& weights) {
  Files files = BesideProgram(path);
  if (std::error_code error; fs::is_directory(path, error)) {
    SY_ASSIGN_OR_RETURN(files, FindFiles(path));
  }
  if (!weights.empty()) files.weights = weights;
  SY_ASSIGN_OR_RETURN(TranslatedProgram translated,
                      ReadProgram(files.program, context));
  SY_ASSIGN_OR_RETURN(std::vector<NamedTensor> states,
                      files.weights.empty()
                          ? ReadOneByOne(files.program, translated.states)
                          : ReadTogether(files.weights, translated.states));
  return LoadedProgram{std::move(translated.program), std::move(states)};
}

}  // namespace switchyard::static_graph

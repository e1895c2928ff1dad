// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/paddle_program.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/file.h"
#include "framework/base/hash_map.h"
#include "framework/memory/cpu_allocator.h"
#include "static_graph/translate/json/json_program.h"
#include "static_graph/translate/json/json_translator.h"
#include "static_graph/translate/parsed_program.h"
#include "static_graph/translate/translator.h"
#include "static_graph/translate/weight_stream.h"

namespace switchyard::static_graph {
namespace {

namespace fs = std::filesystem;

constexpr char kModel[] = ".pdmodel";
constexpr char kJson[] = ".json";
constexpr char kParameters[] = ".pdiparams";
// A training program and the one that gives its variables their first values.
constexpr char kMain[] = "main";
constexpr char kStartup[] = "startup";

struct Files {
  fs::path program;
  // A file of all, or a folder with one each; empty: the program's folder.
  fs::path weights;
  fs::path startup;  // Empty: there is none.
};

using Variables = std::vector<StateVariable>;

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// The one *.pdiparams of a folder, whose stem need not be the program's; empty
// if there is none, or if there are several.
fs::path OnlyParameters(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  // Not a range-for, whose steps throw.
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() == kParameters && IsFile(path)) found.push_back(path);
  }
  return found.size() == 1 ? found[0] : fs::path();
}

// The weights of `program`, in one file if there is one of a usual name.
Files BesideProgram(const fs::path& program) {
  fs::path same_stem = program;
  same_stem.replace_extension(kParameters);
  const fs::path folder = program.parent_path();
  for (const fs::path& weights :
       {same_stem, folder / "__params__", folder / "params", folder / "weights",
        OnlyParameters(folder.empty() ? fs::path(".") : folder)}) {
    if (weights != program && IsFile(weights)) return {program, weights, {}};
  }
  return {program, {}, {}};
}

// Other files may be JSON, too: of several, programs are those beside which
// there are weights of the same stem.
std::vector<fs::path> ProgramsInJson(std::vector<fs::path> files) {
  if (files.size() == 1) return files;
  std::vector<fs::path> programs;
  for (const fs::path& file : files) {
    fs::path weights = file;
    weights.replace_extension(kParameters);
    if (IsFile(weights)) programs.push_back(file);
  }
  return programs;
}

absl::StatusOr<Files> FindFiles(const std::string& folder) {
  const fs::path root(folder);
  if (IsFile(root / "__model__")) return BesideProgram(root / "__model__");
  for (const char* extension : {kModel, kJson}) {
    const fs::path main = root / absl::StrCat(kMain, extension);
    const fs::path startup = root / absl::StrCat(kStartup, extension);
    if (!IsFile(main) || !IsFile(startup)) continue;
    Files files = BesideProgram(main);
    files.startup = startup;
    return files;
  }
  std::vector<fs::path> programs, others;
  std::error_code error;
  // Not a range-for, whose steps throw.
  for (fs::directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() == kModel) programs.push_back(path);
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
      folder, ": must hold __model__, one *.pdmodel, one *.json, or ", kMain,
      kModel, " and ", kStartup, kModel, ", got ", programs.size(), " programs",
      names));
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
    const fs::path& folder, const fs::path& program,
    const Variables& variables) {
  std::vector<NamedTensor> tensors;
  for (const StateVariable& variable : variables) {
    SY_ASSIGN_OR_RETURN(const fs::path path, WeightFile(folder, variable.name));
    std::error_code error;
    if (tensors.empty() && !fs::exists(path, error)) {
      return absl::NotFoundError(absl::StrCat(
          path.string(), ": there must be this file, or all weights in one: ",
          program.stem().string(), ".pdiparams, __params__, params, weights"));
    }
    SY_ASSIGN_OR_RETURN(const std::unique_ptr<ByteSource> source,
                        OpenFile(path.string()));
    WeightReader reader(source.get());
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
    const fs::path& path, const Variables& variables) {
  SY_ASSIGN_OR_RETURN(const std::unique_ptr<ByteSource> source,
                      OpenFile(path.string()));
  std::vector<size_t> by_name(variables.size());
  for (size_t i = 0; i < by_name.size(); ++i) by_name[i] = i;
  std::sort(by_name.begin(), by_name.end(), [&](size_t a, size_t b) {
    return variables[a].name < variables[b].name;
  });
  WeightReader reader(source.get());
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

absl::StatusOr<std::vector<NamedTensor>> ReadStates(
    const Files& files, const Variables& variables) {
  std::error_code error;
  if (files.weights.empty()) {
    return ReadOneByOne(files.program.parent_path(), files.program, variables);
  }
  return fs::is_directory(files.weights, error)
             ? ReadOneByOne(files.weights, files.program, variables)
             : ReadTogether(files.weights, variables);
}

// `role` is of a program in JSON; the other form tells it by itself.
absl::StatusOr<TranslatedProgram> Translated(std::string bytes, bool json,
                                             ir::Context* context,
                                             const JsonRole& role) {
  if (json) {
    SY_ASSIGN_OR_RETURN(JsonBlock block, ParseJsonProgram(std::move(bytes)));
    return TranslateJsonProgram(std::move(block), "main", context, role);
  }
  SY_ASSIGN_OR_RETURN(auto parsed, ParseProgramDesc(std::move(bytes)));
  return TranslateProgram(std::move(parsed), "main", context);
}

absl::StatusOr<TranslatedProgram> ReadProgram(const fs::path& path,
                                              ir::Context* context,
                                              const JsonRole& role = {}) {
  SY_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path.string()));
  absl::StatusOr<TranslatedProgram> translated =
      Translated(std::move(bytes), path.extension() == kJson, context, role);
  if (!translated.ok()) return Annotate(translated.status(), path.string());
  return translated;
}

// The variables of a training program and of the one that initialises them,
// which must take nothing and give a value to each of the former.
absl::StatusOr<Variables> AllVariables(const Variables& variables,
                                       const TranslatedProgram& startup) {
  for (const ir::Value argument : startup.program.entry().arguments()) {
    if (argument.role() != ir::ArgumentRole::kFeed) continue;
    return ArgumentError("program", "without feeds",
                         std::string(argument.argument_name()));
  }
  HashSet<std::string> written;
  for (const ir::NamedValue& state : startup.program.new_states()) {
    written.insert(state.name);
  }
  HashMap<std::string, TensorSpec> specs;
  for (const StateVariable& variable : variables) {
    if (!Contains(written, variable.name)) {
      return ArgumentError("program",
                           "one that writes each variable of the main program",
                           absl::StrCat("nothing for '", variable.name, "'"));
    }
    specs[variable.name] = variable.spec;
  }
  Variables all = variables;
  for (const StateVariable& variable : startup.states) {
    const auto [found, added] = specs.emplace(variable.name, variable.spec);
    if (added) all.push_back(variable);
    if (found->second == variable.spec) continue;
    return ArgumentError(absl::StrCat("variable '", variable.name, "'"),
                         "as in the main program", "another description");
  }
  return all;
}

absl::StatusOr<std::vector<NamedTensor>> MakeZeros(const Variables& variables) {
  std::vector<NamedTensor> tensors;
  for (const StateVariable& variable : variables) {
    SY_ASSIGN_OR_RETURN(
        DenseTensor tensor,
        DenseTensor::Allocate(variable.spec.dtype, variable.spec.shape,
                              CpuAllocator()));
    std::memset(tensor.mutable_data<char>(), 0, tensor.byte_size());
    tensors.push_back({variable.name, std::move(tensor)});
  }
  return tensors;
}

// Whether there are weights for a program, some of which have names.
bool HasWeights(const Files& files, const Variables& variables) {
  if (!files.weights.empty() || variables.empty()) return true;
  const absl::StatusOr<fs::path> first =
      WeightFile(files.program.parent_path(), variables[0].name);
  return first.ok() && IsFile(*first);
}

// A program in JSON takes the variables that are no parameters as feeds: which
// they are, the one that initialises them tells.
absl::StatusOr<LoadedProgram> LoadTraining(ir::Context* context,
                                           const Files& files) {
  JsonRole role;
  role.startup = true;
  SY_ASSIGN_OR_RETURN(TranslatedProgram startup,
                      ReadProgram(files.startup, context, role));
  HashSet<std::string> names;
  for (const StateVariable& state : startup.states) names.insert(state.name);
  role = {false, &names};
  SY_ASSIGN_OR_RETURN(TranslatedProgram main,
                      ReadProgram(files.program, context, role));
  const absl::StatusOr<Variables> variables =
      AllVariables(main.states, startup);
  if (!variables.ok()) {
    return Annotate(variables.status(), files.startup.string());
  }
  LoadedProgram loaded = {std::move(main.program),
                          {},
                          std::nullopt,
                          false,
                          std::move(main.libraries)};
  loaded.needs_startup = !HasWeights(files, main.states);
  if (loaded.needs_startup) {
    SY_ASSIGN_OR_RETURN(loaded.states, MakeZeros(*variables));
  } else {
    SY_ASSIGN_OR_RETURN(loaded.states, ReadStates(files, main.states));
    const Variables others(variables->begin() + main.states.size(),
                           variables->end());
    SY_ASSIGN_OR_RETURN(std::vector<NamedTensor> zeros, MakeZeros(others));
    std::move(zeros.begin(), zeros.end(), std::back_inserter(loaded.states));
  }
  loaded.startup = std::move(startup.program);
  return loaded;
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
  if (!files.startup.empty()) return LoadTraining(context, files);
  SY_ASSIGN_OR_RETURN(TranslatedProgram translated,
                      ReadProgram(files.program, context));
  SY_ASSIGN_OR_RETURN(std::vector<NamedTensor> states,
                      ReadStates(files, translated.states));
  return LoadedProgram{std::move(translated.program), std::move(states),
                       std::nullopt, false, std::move(translated.libraries)};
}

}  // namespace switchyard::static_graph

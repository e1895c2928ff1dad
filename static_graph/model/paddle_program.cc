// SPDX-License-Identifier: Apache-2.0
#include "static_graph/model/paddle_program.h"

#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/file.h"
#include "framework/base/hash_map.h"
#include "static_graph/foreign/paddle_desc/parsed_program.h"
#include "static_graph/foreign/paddle_json/json_program.h"
#include "static_graph/translate/translator.h"

namespace switchyard::static_graph {
namespace {

using Variables = std::vector<StateVariable>;
// The backends whose attributes become policies of operations.
using Libraries = absl::Span<const std::string>;

// `role` is of a program in JSON; the other form tells it by itself.
absl::StatusOr<TranslatedProgram> Translated(ModelFormat format,
                                             std::string bytes,
                                             ir::Context* context,
                                             Libraries libraries,
                                             const ProgramRole& role) {
  std::unique_ptr<const ForeignProgram> parsed;
  if (format == ModelFormat::kPaddleJson) {
    SY_ASSIGN_OR_RETURN(parsed, ParseJsonProgram(std::move(bytes)));
  } else {
    SY_ASSIGN_OR_RETURN(parsed, ParseProgramDesc(std::move(bytes)));
  }
  return TranslateProgram(std::move(parsed), "main", context, libraries, role);
}

absl::StatusOr<TranslatedProgram> ReadProgram(ModelFormat format,
                                              const std::string& path,
                                              ir::Context* context,
                                              Libraries libraries,
                                              const ProgramRole& role = {}) {
  SY_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path));
  absl::StatusOr<TranslatedProgram> translated =
      Translated(format, std::move(bytes), context, libraries, role);
  if (!translated.ok()) return Annotate(translated.status(), path);
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

// A program in JSON takes the variables that are no parameters as feeds: which
// they are, the one that initialises them tells.
absl::StatusOr<LoadedProgram> LoadTraining(ir::Context* context,
                                           const ModelFiles& files,
                                           Libraries libraries) {
  ProgramRole role;
  role.startup = true;
  SY_ASSIGN_OR_RETURN(
      TranslatedProgram startup,
      ReadProgram(files.format, files.startup, context, libraries, role));
  HashSet<std::string> names;
  for (const StateVariable& state : startup.states) names.insert(state.name);
  role = {false, &names};
  SY_ASSIGN_OR_RETURN(
      TranslatedProgram main,
      ReadProgram(files.format, files.program, context, libraries, role));
  const absl::StatusOr<Variables> variables =
      AllVariables(main.states, startup);
  if (!variables.ok()) {
    return Annotate(variables.status(), files.startup);
  }
  LoadedProgram loaded = {std::move(main.program), {}, std::nullopt};
  loaded.needs_startup = !HasWeights(files, main.states);
  if (loaded.needs_startup) {
    SY_ASSIGN_OR_RETURN(loaded.states, MakeZeros(*variables));
  } else {
    SY_ASSIGN_OR_RETURN(loaded.states, ReadWeights(files, main.states));
    const Variables others(variables->begin() + main.states.size(),
                           variables->end());
    SY_ASSIGN_OR_RETURN(std::vector<NamedTensor> zeros, MakeZeros(others));
    std::move(zeros.begin(), zeros.end(), std::back_inserter(loaded.states));
  }
  loaded.startup = std::move(startup.program);
  return loaded;
}

// A program that has no startup.
LoadedProgram Loaded(TranslatedProgram translated,
                     std::vector<NamedTensor> states) {
  return {std::move(translated.program), std::move(states), std::nullopt};
}

}  // namespace

absl::StatusOr<LoadedProgram> LoadPaddleProgram(ir::Context* context,
                                                const ModelFiles& files,
                                                Libraries libraries) {
  if (!files.startup.empty()) return LoadTraining(context, files, libraries);
  SY_ASSIGN_OR_RETURN(
      TranslatedProgram translated,
      ReadProgram(files.format, files.program, context, libraries));
  SY_ASSIGN_OR_RETURN(std::vector<NamedTensor> states,
                      ReadWeights(files, translated.states));
  return Loaded(std::move(translated), std::move(states));
}

absl::StatusOr<LoadedProgram> LoadPaddleProgram(ir::Context* context,
                                                const std::string& path,
                                                const std::string& weights) {
  SY_ASSIGN_OR_RETURN(ModelFiles files, FindModelFiles(path, weights));
  // Any name may be one of a description.
  if (files.format == ModelFormat::kSaved) {
    files.format = ModelFormat::kPaddleDesc;
  }
  return LoadPaddleProgram(context, files);
}

absl::StatusOr<LoadedProgram> LoadPaddleProgram(ir::Context* context,
                                                ModelFormat format,
                                                std::string program,
                                                std::string_view weights,
                                                Libraries libraries) {
  absl::StatusOr<TranslatedProgram> translated =
      Translated(format, std::move(program), context, libraries, {});
  if (!translated.ok()) return Annotate(translated.status(), "program");
  SY_ASSIGN_OR_RETURN(std::vector<NamedTensor> states,
                      ReadWeights(weights, translated->states));
  return Loaded(*std::move(translated), std::move(states));
}

}  // namespace switchyard::static_graph

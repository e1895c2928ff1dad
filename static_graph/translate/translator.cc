// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/translator.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/verifier.h"
#include "static_graph/translate/check_operators.h"
#include "static_graph/translate/control/sub_blocks.h"
#include "static_graph/translate/program_ports.h"
#include "static_graph/translate/rewrites/rewritten_program.h"
#include "static_graph/translate/translate_block.h"
#include "static_graph/translate/translate_operator.h"
#include "static_graph/translate/translation.h"
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {
namespace {

class Translator {
 public:
  Translator(const ForeignProgram& desc, const ProgramPorts& ports,
             absl::Span<const std::string> fetches,
             absl::Span<const std::string> libraries, const ProgramRole& role,
             ir::Program* program)
      : desc_(desc),
        ports_(ports),
        program_(program),
        builder_(program->context(), &program->entry()),
        translation_(desc, fetches, libraries, role, program),
        scope_(desc.blocks(0), &translation_.budget) {}

  absl::Status Run();
  // Returns true if the program takes more memory than it may.
  bool too_large() const { return translation_.budget.exceeded(); }
  std::vector<StateVariable> TakeStates() {
    return translation_.ports.TakeStates();
  }

 private:
  absl::Status AddFeeds();
  absl::Status AddStates();
  absl::Status AddState(const std::string& name, const VariableFacts& facts);
  absl::Status Return();

  const ForeignProgram& desc_;
  const ProgramPorts& ports_;
  ir::Program* program_;
  ir::Builder builder_;
  Translation translation_;
  VariableScope scope_;
};

// The variables of the main block that its sub-blocks write, by their numbers.
// The description of such a variable holds after a loop, not always before it.
std::vector<bool> WrittenByBlocks(const ForeignProgram& program,
                                  const SharedVariables& shared) {
  const ForeignBlock& main = program.blocks(0);
  std::vector<bool> written(static_cast<size_t>(main.vars_size()));
  for (int i = 1; i < program.blocks_size(); ++i) {
    for (const std::string& name : shared.WrittenAround(i)) {
      const int number = main.IndexOf(name);
      if (number >= 0) written[static_cast<size_t>(number)] = true;
    }
  }
  return written;
}

// A shape of the same rank.
Shape UnknownShapeLike(const Shape& shape) {
  return Shape(
      std::vector<Dim>(static_cast<size_t>(shape.rank()), Dim::Unknown()));
}

absl::Status Translator::Run() {
  SY_RETURN_IF_ERROR(translation_.budget.Check());
  // Operators of JSON add them.
  if (!translation_.json) {
    SY_RETURN_IF_ERROR(AddFeeds());
    SY_RETURN_IF_ERROR(AddStates());
  }
  SY_RETURN_IF_ERROR(TranslateBlock(0, builder_, &scope_, &translation_));
  SY_RETURN_IF_ERROR(Return());
  SY_RETURN_IF_ERROR(translation_.budget.Check());
  SY_RETURN_IF_ERROR(translation_.budget.CheckProgram());
  // Some operators may not have been translated.
  return CheckOperatorsExcept(desc_, &translation_.mapped, program_->context());
}

absl::Status Translator::AddFeeds() {
  const ForeignBlock& main = desc_.blocks(0);
  const std::vector<bool> written = WrittenByBlocks(desc_, translation_.shared);
  for (const std::string& name : ports_.feeds) {
    const VariableFacts* const variable = scope_.Find(name);
    if (variable == nullptr) {
      return ArgumentError("feed", "a variable of the program",
                           absl::StrCat("'", name, "'"));
    }
    SY_ASSIGN_OR_RETURN(TensorSpec spec, scope_.SpecOf(*variable));
    const int number = main.IndexOf(name);
    if (number >= 0 && written[static_cast<size_t>(number)]) {
      spec.shape = UnknownShapeLike(spec.shape);
    }
    if (scope_.Get(name)) {
      return ArgumentError("feed", "another variable each",
                           absl::StrCat("'", name, "' twice"));
    }
    SY_ASSIGN_OR_RETURN(const ir::Value value,
                        translation_.ports.AddFeed(name, spec));
    scope_.Set(name, value);
  }
  return absl::OkStatus();
}

absl::Status Translator::AddStates() {
  HashSet<std::string> added;
  for (int b = 0; b < desc_.blocks_size(); ++b) {
    const ForeignBlock& block = desc_.blocks(b);
    for (int i = 0; i < block.vars_size(); ++i) {
      if (!block.facts(i).persistable) continue;
      const std::string name(block.NameOf(i));
      // Blocks may name one that lives with the program once more each.
      if (b > 0 && Contains(added, name)) continue;
      SY_RETURN_IF_ERROR(AddState(name, block.facts(i)));
      added.insert(name);
    }
  }
  return absl::OkStatus();
}

absl::Status Translator::AddState(const std::string& name,
                                  const VariableFacts& facts) {
  if (facts.Is(VariableKind::kTensorArray)) {
    return ArgumentError(absl::StrCat("variable '", name, "'"),
                         "a dense tensor, since it is persistable",
                         "a tensor array");
  }
  // Persistable, but no tensors: the lists of feeds and fetches and the like.
  if (!facts.Is(VariableKind::kDenseTensor)) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const TensorSpec spec, desc_.SpecOf(facts));
  if (scope_.Get(name)) {
    return ArgumentError(absl::StrCat("variable '", name, "'"),
                         "either fed or persistable", "both");
  }
  SY_ASSIGN_OR_RETURN(const ir::Value value,
                      translation_.ports.AddState(name, name, spec));
  scope_.Declare(name, facts);
  scope_.Set(name, value);
  return absl::OkStatus();
}

absl::Status Translator::Return() {
  TranslatedPorts& ports = translation_.ports;
  for (const ProgramPorts::Fetch& fetch : ports_.fetches) {
    absl::StatusOr<ir::Value> value =
        ReadVariable(builder_, scope_, fetch.variable);
    if (!value.ok()) return Annotate(value.status(), "fetch");
    SY_RETURN_IF_ERROR(ports.AddFetch(fetch.name, ports.next_column(), *value));
  }
  return ports.Return(
      [this](const PortState& port) -> absl::StatusOr<ir::Value> {
        SY_ASSIGN_OR_RETURN(const ir::Value value,
                            ReadVariable(builder_, scope_, port.variable));
        // A state that no operator reads may be described with any shape: that
        // of rnn's dropout, whose extents are those of the feeds.
        const bool described =
            value.tensor_type().shape() == port.state.spec.shape;
        const bool counts =
            described || translation_.shared.IsRead(port.variable);
        return counts ? value : ir::Value();
      },
      [this](std::vector<ir::NamedValue>* states) {
        return translation_.random.Advance(builder_, states);
      });
}

// The operators are sound, except perhaps for slots and attributes. Says
// whether the program is refused for its size.
absl::StatusOr<TranslatedProgram> TranslateChecked(
    const ForeignProgram& parsed, std::string_view name, ir::Context* context,
    absl::Span<const std::string> libraries, const ProgramRole& role,
    bool* too_large) {
  ProgramPorts ports;
  if (parsed.vocabulary() == Vocabulary::kPaddle) {
    SY_ASSIGN_OR_RETURN(ports, FindPorts(parsed.blocks(0)));
  }
  std::vector<std::string> fetches;
  for (const ProgramPorts::Fetch& fetch : ports.fetches) {
    fetches.push_back(fetch.variable);
  }
  ir::Program program(context, name);
  Translator translator(parsed, ports, fetches, libraries, role, &program);
  const absl::Status status = translator.Run();
  *too_large = translator.too_large();
  SY_RETURN_IF_ERROR(status);
  return TranslatedProgram{std::move(program), translator.TakeStates()};
}

// Translates a program, without verifying the result.
absl::StatusOr<TranslatedProgram> Translate(
    const ForeignProgram& parsed, std::string_view name, ir::Context* context,
    absl::Span<const std::string> libraries, const ProgramRole& role) {
  // Slots and attributes are checked while operators are translated, since it
  // takes as long as that; only an error is worth checking all of them first,
  // and not that there are too many.
  if (!CheckOperatorsExcept(parsed, nullptr, context).ok()) {
    return CheckOperators(parsed, context);
  }
  bool too_large = false;
  absl::StatusOr<TranslatedProgram> translated =
      TranslateChecked(parsed, name, context, libraries, role, &too_large);
  if (!translated.ok() && !too_large) {
    SY_RETURN_IF_ERROR(CheckOperators(parsed, context));
  }
  return translated;
}

}  // namespace

absl::StatusOr<TranslatedProgram> TranslateProgram(
    const ForeignProgram& foreign, std::string_view name, ir::Context* context,
    absl::Span<const std::string> libraries, const ProgramRole& role) {
  SY_ASSIGN_OR_RETURN(TranslatedProgram translated,
                      Translate(RewrittenProgram(foreign, context), name,
                                context, libraries, role));
  SY_RETURN_IF_ERROR(ir::Verify(translated.program));
  return translated;
}

absl::StatusOr<TranslatedProgram> TranslateProgram(
    std::unique_ptr<const ForeignProgram> foreign, std::string_view name,
    ir::Context* context, absl::Span<const std::string> libraries,
    const ProgramRole& role) {
  SY_ASSIGN_OR_RETURN(TranslatedProgram translated,
                      Translate(RewrittenProgram(*foreign, context), name,
                                context, libraries, role));
  foreign = nullptr;
  SY_RETURN_IF_ERROR(ir::Verify(translated.program));
  return translated;
}

}  // namespace switchyard::static_graph

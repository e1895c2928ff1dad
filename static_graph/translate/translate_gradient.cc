// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/translate_gradient.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/autodiff/mark.h"
#include "static_graph/autodiff/reverse.h"
#include "static_graph/dialect/assign.gen.h"
#include "static_graph/dialect/reshape.gen.h"
#include "static_graph/translate/control/named_op.h"
#include "static_graph/translate/gradient_operator.h"
#include "static_graph/translate/sequences.h"
#include "static_graph/translate/translate_operator.h"

namespace switchyard::static_graph {
namespace {

constexpr std::string_view kNeed = "the context must have";

// The translation of one gradient.
class GradientTranslator {
 public:
  GradientTranslator(const ForeignOperator& op, const phi::LegacyForm& form,
                     ir::Builder& builder, VariableScope* scope,
                     Translation* translation)
      : op_(op),
        form_(form),
        builder_(builder),
        scope_(*scope),
        translation_(*translation),
        reverse_(&builder) {}

  absl::Status Run();

 private:
  // An input whose gradient is written.
  struct Target {
    ir::Value value;
    std::string gradient;
  };

  absl::Status ReadInputs(ForeignOperator* call, VariableScope* own);
  const std::string* GradientOf(const std::string& slot, int position) const;
  absl::Status Contribute(const BuiltCall& call);
  absl::Status WriteTargets();

  const ForeignOperator& op_;
  const phi::LegacyForm& form_;
  ir::Builder& builder_;
  VariableScope& scope_;
  Translation& translation_;
  Reverse reverse_;
  std::vector<Target> targets_;
};

absl::Status GradientTranslator::Run() {
  SY_ASSIGN_OR_RETURN(ForeignOperator call, DifferentiatedCall(op_, form_));
  VariableScope own(&scope_);
  SY_RETURN_IF_ERROR(ReadInputs(&call, &own));
  const ir::Operation* const before = builder_.previous();
  SY_ASSIGN_OR_RETURN(const BuiltCall built,
                      BuildCall(call, form_, builder_, &own, &translation_));
  // Several, where the operator is no operation but a call of others.
  std::vector<const ir::Operation*> written;
  for (const ir::Operation* op = builder_.previous(); op != before;
       op = op->previous()) {
    written.push_back(op);
  }
  std::vector<ir::Value> values;
  for (const Target& target : targets_) values.push_back(target.value);
  reverse_.sums().Require(values);
  for (auto op = written.rbegin(); op != written.rend(); ++op) {
    Mark(**op, &reverse_.sums());
  }
  SY_RETURN_IF_ERROR(Contribute(built));
  for (const ir::Operation* op : written) {
    SY_RETURN_IF_ERROR(reverse_.Visit(*op));
  }
  return WriteTargets();
}

// Returns the variable for the gradient of a variable of an input slot; null if
// the operator writes none.
const std::string* GradientTranslator::GradientOf(const std::string& slot,
                                                  int position) const {
  for (const ForeignSlot& output : op_.outputs) {
    if (SlotOfGradient(output.name) != slot || output.count() <= position ||
        output.variables[position] == kEmptyVariable) {
      continue;
    }
    return &output.variables[position];
  }
  return nullptr;
}

// Gives each input a variable of its own, so that one that is an input twice
// has a gradient for each.
absl::Status GradientTranslator::ReadInputs(ForeignOperator* call,
                                            VariableScope* own) {
  for (ForeignSlot& slot : call->inputs) {
    for (int i = 0; i < slot.count(); ++i) {
      ir::Value value = scope_.GetShaped(slot.variables[i]);
      if (!value || scope_.Get(slot.variables[i])) {
        SY_ASSIGN_OR_RETURN(value,
                            ReadVariable(builder_, scope_, slot.variables[i]));
      }
      if (const std::string* gradient = GradientOf(slot.name, i)) {
        SY_ASSIGN_OR_RETURN(value,
                            ResultFor(kNeed, AssignOp::Build(builder_, value)));
        targets_.push_back({value, *gradient});
      }
      slot.variables[i] = absl::StrCat(slot.name, "/", i);
      own->Set(slot.variables[i], value);
    }
  }
  return absl::OkStatus();
}

absl::Status GradientTranslator::Contribute(const BuiltCall& call) {
  for (const ForeignSlot& slot : op_.inputs) {
    const phi::LegacySlot* const output =
        form_.output(SlotOfGradient(slot.name));
    if (output == nullptr || output->argument < 0) continue;
    const absl::Span<const ir::Value> results =
        call.list().list(output->argument);
    if (static_cast<size_t>(slot.count()) > results.size()) {
      return ArgumentError(
          slot.name, absl::StrCat("at most ", results.size(), " variables"),
          absl::StrCat(slot.count()));
    }
    for (int i = 0; i < slot.count(); ++i) {
      if (slot.variables[i] == kEmptyVariable || !results[i]) continue;
      SY_ASSIGN_OR_RETURN(ir::Value gradient,
                          ReadVariable(builder_, scope_, slot.variables[i]));
      SY_ASSIGN_OR_RETURN(gradient, AsGradientOf(builder_, slot.name, gradient,
                                                 output->name, results[i]));
      SY_RETURN_IF_ERROR(reverse_.sums().Accumulate(results[i], gradient));
    }
  }
  return absl::OkStatus();
}

absl::Status GradientTranslator::WriteTargets() {
  for (const Target& target : targets_) {
    SY_RETURN_IF_ERROR(WriteGradient(builder_, target.value, target.gradient,
                                     reverse_.sums(), translation_, &scope_));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ir::Value> AsGradientOf(ir::Builder& builder,
                                       const std::string& name,
                                       ir::Value gradient,
                                       std::string_view what, ir::Value of) {
  const ir::TensorType given = gradient.tensor_type();
  const ir::TensorType result = of.tensor_type();
  if (given.shape() == Shape{1} && result.shape().rank() == 0) {
    const std::vector<int64_t> scalar;
    return ResultFor(kNeed, ReshapeOp::Build(builder, gradient, scalar));
  }
  if (given.dtype() == result.dtype() &&
      MayEqual(given.shape(), result.shape())) {
    return gradient;
  }
  return ArgumentError(
      name,
      absl::StrCat(std::string(Name(result.dtype())), ToString(result.shape()),
                   " as ", std::string(what)),
      absl::StrCat(std::string(Name(given.dtype())), ToString(given.shape())));
}

absl::Status WriteGradient(ir::Builder& builder, ir::Value target,
                           const std::string& variable,
                           const GradientSums& sums,
                           const Translation& translation,
                           VariableScope* scope) {
  SY_ASSIGN_OR_RETURN(ir::Value sum, sums.SumOrZeros(target));
  SY_ASSIGN_OR_RETURN(sum, WithSequences(builder, *scope, variable, {target},
                                         ir::Value(), sum));
  return WriteVariable(variable, sum, translation, scope);
}

absl::Status TranslateGradient(const ForeignOperator& op,
                               const phi::LegacyForm& form,
                               ir::Builder& builder, VariableScope* scope,
                               Translation* translation) {
  return GradientTranslator(op, form, builder, scope, translation).Run();
}

}  // namespace switchyard::static_graph

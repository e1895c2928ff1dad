// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/recurrent_operator.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "framework/tensor/tensor_array.h"
#include "static_graph/dialect/add.gen.h"
#include "static_graph/dialect/array_to_tensor.gen.h"
#include "static_graph/dialect/array_write.gen.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/gather.gen.h"
#include "static_graph/dialect/less_than.gen.h"
#include "static_graph/dialect/shape.gen.h"
#include "static_graph/dialect/squeeze.gen.h"
#include "static_graph/dialect/subtract.gen.h"
#include "static_graph/translate/control/named_op.h"
#include "static_graph/translate/control/structured_control.h"
#include "static_graph/translate/translate_block.h"
#include "static_graph/translate/translate_operator.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;

// The result of a call that the loop is made of.
template <typename View>
absl::StatusOr<ir::Value> Made(const absl::StatusOr<View>& call) {
  return ResultFor("recurrent needs", call);
}

class RecurrentTranslator {
 public:
  RecurrentTranslator(const ControlOperator& rnn, ir::Builder& builder,
                      VariableScope* scope, Translation* translation)
      : rnn_(rnn),
        builder_(builder),
        scope_(*scope),
        translation_(*translation) {}

  absl::Status Run();

 private:
  absl::Status TakeNames();
  absl::Status ReadInputs();
  absl::StatusOr<Values> Step(ir::Builder& inner,
                              absl::Span<const ir::Value> values);

  const ControlOperator& rnn_;
  ir::Builder& builder_;
  VariableScope& scope_;
  Translation& translation_;
  Values inputs_;
  ir::Value steps_;  // How many there are.
  ir::Value first_, one_;
};

// Counts the memory of the names, and of the values that the loop carries as
// operands, arguments and results.
absl::Status RecurrentTranslator::TakeNames() {
  for (const auto* names : {&rnn_.steps, &rnn_.initial_states, &rnn_.ex_states,
                            &rnn_.states, &rnn_.results}) {
    for (const std::string& name : *names) {
      translation_.budget.Take(2 * LoadBudget::SizeOfEntry(name));
    }
  }
  return translation_.budget.Check();
}

// Reads the loop's first values. The first input has the number of steps.
absl::Status RecurrentTranslator::ReadInputs() {
  for (const std::string& name : rnn_.steps) {
    SY_ASSIGN_OR_RETURN(inputs_.emplace_back(),
                        ReadVariable(builder_, scope_, name));
    SY_RETURN_IF_ERROR(translation_.budget.Check());
    if (inputs_.back().tensor_type().shape().rank() > 0) continue;
    return ArgumentError("inputs", "of rank 1 or more, time first",
                         absl::StrCat("'", name, "' of none"));
  }
  SY_ASSIGN_OR_RETURN(first_, BuildNumber(builder_, 0));
  SY_ASSIGN_OR_RETURN(one_, BuildNumber(builder_, 1));
  SY_ASSIGN_OR_RETURN(const ir::Value shape,
                      Made(ShapeOp::Build(builder_, inputs_[0])));
  SY_ASSIGN_OR_RETURN(steps_, Made(GatherOp::Build(builder_, shape, first_)));
  SY_ASSIGN_OR_RETURN(steps_, BuildCast(builder_, steps_, DataType::kInt64));
  return absl::OkStatus();
}

// One step: `values` are its number, the states and the arrays of results. A
// block without operators, whose states follow one another, is translated once
// for each of them, so the memory is checked here, too.
absl::StatusOr<Values> RecurrentTranslator::Step(
    ir::Builder& inner, absl::Span<const ir::Value> values) {
  ir::Value at = values[0];
  if (rnn_.reverse) {
    SY_ASSIGN_OR_RETURN(at, Made(SubtractOp::Build(inner, steps_, one_)));
    SY_ASSIGN_OR_RETURN(at, Made(SubtractOp::Build(inner, at, values[0])));
  }
  VariableScope scope(translation_.program.blocks(rnn_.block), &scope_);
  const std::vector<int64_t> time = {0};
  for (size_t i = 0; i < inputs_.size(); ++i) {
    SY_ASSIGN_OR_RETURN(ir::Value step,
                        Made(GatherOp::Build(inner, inputs_[i], at)));
    SY_ASSIGN_OR_RETURN(step, Made(SqueezeOp::Build(inner, step, time)));
    scope.Set(rnn_.steps[i], step);
    SY_RETURN_IF_ERROR(translation_.budget.Check());
  }
  const size_t states = rnn_.states.size();
  for (size_t i = 0; i < states; ++i) {
    scope.Set(rnn_.ex_states[i], values[1 + i]);
    SY_RETURN_IF_ERROR(translation_.budget.Check());
  }
  SY_RETURN_IF_ERROR(TranslateBlock(rnn_.block, inner, &scope, &translation_));
  Values next;
  SY_ASSIGN_OR_RETURN(next.emplace_back(),
                      Made(AddOp::Build(inner, values[0], one_)));
  for (const std::string& name : rnn_.states) {
    SY_ASSIGN_OR_RETURN(next.emplace_back(), ReadVariable(inner, scope, name));
  }
  for (size_t i = 0; i < rnn_.results.size(); ++i) {
    SY_ASSIGN_OR_RETURN(const ir::Value result,
                        ReadVariable(inner, scope, rnn_.results[i]));
    SY_ASSIGN_OR_RETURN(
        next.emplace_back(),
        Made(ArrayWriteOp::Build(inner, result, at, values[1 + states + i])));
    SY_RETURN_IF_ERROR(translation_.budget.Check());
  }
  return next;
}

absl::Status RecurrentTranslator::Run() {
  SY_RETURN_IF_ERROR(TakeNames());
  SY_RETURN_IF_ERROR(ReadInputs());
  Values init = {first_};
  for (const std::string& name : rnn_.initial_states) {
    SY_ASSIGN_OR_RETURN(init.emplace_back(),
                        ReadVariable(builder_, scope_, name));
  }
  const VariableScope inside(translation_.program.blocks(rnn_.block), &scope_);
  for (const std::string& name : rnn_.results) {
    const VariableFacts* const described = inside.Find(name);
    if (described == nullptr) {
      return ArgumentError("outputs", "of described variables",
                           absl::StrCat("'", name, "'"));
    }
    SY_ASSIGN_OR_RETURN(TensorSpec spec, inside.SpecOf(*described));
    if (spec.shape.rank() >= kMaxRank) {
      return ArgumentError("outputs",
                           absl::StrCat("of rank up to ", kMaxRank - 1),
                           absl::StrCat(spec.shape.rank()));
    }
    spec.kind = TensorKind::kTensorArray;
    spec.shape = ArrayShape(Dim::Unknown(), spec.shape);
    SY_ASSIGN_OR_RETURN(init.emplace_back(), BuildUnwritten(builder_, spec));
    SY_RETURN_IF_ERROR(translation_.budget.Check());
  }
  ++translation_.loops;
  const absl::StatusOr<Values> results = BuildWhile(
      builder_, init,
      [&](ir::Builder& inner, absl::Span<const ir::Value> values) {
        return Made(LessThanOp::Build(inner, values[0], steps_));
      },
      [&](ir::Builder& inner, absl::Span<const ir::Value> values) {
        return Step(inner, values);
      });
  --translation_.loops;
  SY_RETURN_IF_ERROR(results.status());
  const size_t kept = 1 + rnn_.states.size();
  for (size_t i = 0; i < rnn_.results.size(); ++i) {
    SY_ASSIGN_OR_RETURN(
        const ir::Value stacked,
        Made(ArrayToTensorOp::Build(builder_, (*results)[kept + i], /*axis=*/0,
                                    /*use_stack=*/true)));
    SY_RETURN_IF_ERROR(
        WriteVariable(rnn_.results[i], stacked, translation_, &scope_));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status TranslateRecurrent(const ControlOperator& rnn,
                                ir::Builder& builder, VariableScope* scope,
                                Translation* translation) {
  return RecurrentTranslator(rnn, builder, scope, translation).Run();
}

}  // namespace switchyard::static_graph

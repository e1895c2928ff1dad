// SPDX-License-Identifier: Apache-2.0
// Parts of the InferMeta functions of optimizer steps: checks, and InferStep,
// which is all of a step whose arguments are an OptimizerStep.
#ifndef SWITCHYARD_PHI_INFERMETA_OPTIMIZER_OPTIMIZER_CHECKS_H_
#define SWITCHYARD_PHI_INFERMETA_OPTIMIZER_OPTIMIZER_CHECKS_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "framework/base/float_text.h"
#include "framework/base/status.h"
#include "framework/types/float_values.h"
#include "framework/types/tensor_spec.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {

// Checks state of the parameter's shape.
inline absl::Status CheckState(std::string_view argument,
                               const TensorSpec& meta,
                               const TensorSpec& param) {
  return CheckDtypeAndShape(argument, meta, StateDtype(param.dtype),
                            param.shape);
}

// Checks state of one element.
inline absl::Status CheckNumber(std::string_view argument,
                                const TensorSpec& meta,
                                const TensorSpec& param) {
  SY_RETURN_IF_ERROR(CheckDtype(argument, meta, StateDtype(param.dtype)));
  return CheckOneElement(argument, meta);
}

// Checks optional state; `needed_with` is the attribute that is on where it is
// `needed`.
inline absl::Status CheckOptionalState(std::string_view argument,
                                       const TensorSpec* meta,
                                       const TensorSpec& param, bool needed,
                                       const char* needed_with) {
  if (meta != nullptr) return CheckState(argument, *meta, param);
  if (!needed) return absl::OkStatus();
  return ArgumentError(argument, std::string("given with ") + needed_with,
                       "none");
}

// Checks a bool that says whether a step is skipped.
inline absl::Status CheckSkipUpdate(const TensorSpec* skip_update) {
  if (skip_update == nullptr) return absl::OkStatus();
  SY_RETURN_IF_ERROR(CheckDtype("skip_update", *skip_update, DataType::kBool));
  return CheckOneElement("skip_update", *skip_update);
}

inline absl::Status UnchangedIfGiven(const TensorSpec* meta, TensorSpec* out) {
  return meta == nullptr ? absl::OkStatus() : UnchangedInferMeta(*meta, out);
}

// Checks the factor of a mean that older values leave.
inline absl::Status CheckBeta(std::string_view argument, double beta) {
  if (beta >= 0 && beta < 1) return absl::OkStatus();
  return ArgumentError(argument, "in [0, 1)", ShortestText(beta));
}

// A state of a step: the argument, and the result that is like it, null if
// there is none.
struct OptimizerState {
  const char* name;
  const TensorSpec* given;  // Null: an optional one that is absent.
  TensorSpec* updated;
  bool number = false;  // One element; otherwise one for each of the parameter.
  // The attribute, if any, that is on and needs the state.
  const char* needed_with = nullptr;
};

// The arguments of a step, by which it is inferred, for one call of InferStep:
// borrows all.
struct OptimizerStep {
  const TensorSpec& param;
  const TensorSpec& grad;
  TensorSpec* param_out;
  std::initializer_list<OptimizerState> states;
  // Those that a program supplies are checked when it runs.
  std::initializer_list<std::pair<const char*, DoubleValue>> betas;
};

// Returns the state `master_param`, which `multi_precision` needs.
inline OptimizerState MasterState(const TensorSpec* given, bool multi_precision,
                                  TensorSpec* updated) {
  return {"master_param", given, updated, false,
          multi_precision ? "multi_precision" : nullptr};
}

// Checks all arguments of a step, then sets its results.
inline absl::Status InferStep(const OptimizerStep& step) {
  SY_RETURN_IF_ERROR(CheckLike("grad", step.grad, step.param));
  for (const OptimizerState& state : step.states) {
    if (state.number) {
      SY_RETURN_IF_ERROR(CheckNumber(state.name, *state.given, step.param));
    } else {
      SY_RETURN_IF_ERROR(CheckOptionalState(state.name, state.given, step.param,
                                            state.needed_with != nullptr,
                                            state.needed_with));
    }
  }
  for (const auto& [name, beta] : step.betas) {
    if (beta.has_value()) SY_RETURN_IF_ERROR(CheckBeta(name, *beta));
  }
  SY_RETURN_IF_ERROR(UnchangedInferMeta(step.param, step.param_out));
  for (const OptimizerState& state : step.states) {
    SY_RETURN_IF_ERROR(UnchangedIfGiven(state.given, state.updated));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_OPTIMIZER_OPTIMIZER_CHECKS_H_

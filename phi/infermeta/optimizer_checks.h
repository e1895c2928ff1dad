// SPDX-License-Identifier: Apache-2.0
// Checks that the InferMeta functions of optimizer steps share.
#ifndef SWITCHYARD_PHI_INFERMETA_OPTIMIZER_CHECKS_H_
#define SWITCHYARD_PHI_INFERMETA_OPTIMIZER_CHECKS_H_

#include <string>
#include <string_view>

#include "framework/base/float_text.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise.h"

namespace switchyard::phi {

// Checks a tensor of the dtype and shape of the parameter.
inline absl::Status CheckLike(std::string_view argument, const TensorSpec& meta,
                              const TensorSpec& param) {
  SY_RETURN_IF_ERROR(CheckDtype(argument, meta, param.dtype));
  return CheckShape(argument, meta, param.shape);
}

// Checks state of the parameter's shape.
inline absl::Status CheckState(std::string_view argument,
                               const TensorSpec& meta,
                               const TensorSpec& param) {
  SY_RETURN_IF_ERROR(CheckDtype(argument, meta, StateDtype(param.dtype)));
  return CheckShape(argument, meta, param.shape);
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
inline absl::Status CheckBeta(std::string_view argument, float beta) {
  if (beta >= 0 && beta < 1) return absl::OkStatus();
  return ArgumentError(argument, "in [0, 1)", ShortestText(beta));
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_OPTIMIZER_CHECKS_H_

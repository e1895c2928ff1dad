// SPDX-License-Identifier: Apache-2.0
// The steps of InferMeta of a gradient by rule (`infer_meta: gradient`):
// results of the forward operator and their gradients are as its own InferMeta
// says, and each gradient is like its input.
#ifndef SWITCHYARD_PHI_INFERMETA_GRADIENT_H_
#define SWITCHYARD_PHI_INFERMETA_GRADIENT_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"
#include "phi/core/infer_meta_context.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/data_movement/manipulation.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {

// TypeError or ArgumentError unless `given`, a result or its gradient, is of
// the inferred dtype and shape, and of its kind if one of them is sparse. One
// that is not there may be null.
inline absl::Status CheckInferred(std::string_view argument,
                                  const TensorSpec& given,
                                  const TensorSpec& inferred) {
  const auto sparse = [](const TensorSpec& spec) {
    return spec.kind == TensorKind::kSparseCoo ||
           spec.kind == TensorKind::kSparseCsr;
  };
  if (given.kind != inferred.kind && (sparse(given) || sparse(inferred))) {
    return TypeError(argument, Name(inferred.kind), Name(given.kind));
  }
  return CheckLike(argument, given, inferred);
}
inline absl::Status CheckInferred(std::string_view argument,
                                  const TensorSpec* given,
                                  const TensorSpec& inferred) {
  if (given == nullptr) return absl::OkStatus();
  return CheckInferred(argument, *given, inferred);
}

// x_grad as x. Of an input that is not there it stays as it is.
inline absl::Status SetGradient(const TensorSpec& x, TensorSpec* x_grad) {
  return UnchangedInferMeta(x, x_grad);
}
inline absl::Status SetGradient(const TensorSpec* x, TensorSpec* x_grad) {
  if (x == nullptr) return absl::OkStatus();
  return UnchangedInferMeta(*x, x_grad);
}
inline absl::Status SetGradient(MetaList x, MetaOutputs x_grad) {
  return UnchangedListInferMeta(x, x_grad);
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_GRADIENT_H_

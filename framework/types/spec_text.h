// SPDX-License-Identifier: Apache-2.0
// SpecText: a tensor's type in errors.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_SPEC_TEXT_H_
#define SWITCHYARD_FRAMEWORK_TYPES_SPEC_TEXT_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "framework/types/tensor_spec.h"

namespace switchyard {

// Returns "float32[2, 3]", or with the kind in front if it is not dense:
// "selected_rows float32[8, 4]". An unknown Dim is its symbol or "?".
inline std::string SpecText(TensorKind kind, DataType dtype,
                            const Shape& shape) {
  const bool dense = kind == TensorKind::kDense;
  return absl::StrCat(dense ? "" : absl::StrCat(std::string(Name(kind)), " "),
                      std::string(Name(dtype)), ToString(shape));
}
inline std::string SpecText(const TensorSpec& spec) {
  return SpecText(spec.kind, spec.dtype, spec.shape);
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_SPEC_TEXT_H_

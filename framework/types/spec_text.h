// SPDX-License-Identifier: Apache-2.0
// SpecText: a tensor's type in errors.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_SPEC_TEXT_H_
#define SWITCHYARD_FRAMEWORK_TYPES_SPEC_TEXT_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "framework/types/tensor_spec.h"

namespace switchyard {

// Returns "float32[2, 3]". An unknown Dim is its symbol or "?".
inline std::string SpecText(DataType dtype, const Shape& shape) {
  return absl::StrCat(std::string(Name(dtype)), ToString(shape));
}
// Has the kind in front if it is not dense: "selected_rows float32[8, 4]".
inline std::string SpecText(TensorKind kind, DataType dtype,
                            const Shape& shape) {
  const std::string text = SpecText(dtype, shape);
  if (kind == TensorKind::kDense) return text;
  return absl::StrCat(std::string(Name(kind)), " ", text);
}
inline std::string SpecText(const TensorSpec& spec) {
  return SpecText(spec.kind, spec.dtype, spec.shape);
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_SPEC_TEXT_H_

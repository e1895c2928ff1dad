// SPDX-License-Identifier: Apache-2.0
// FindOnnxForm: the forms of ONNX's operators that the YAML files describe.
#ifndef SWITCHYARD_PHI_ONNX_EVERY_OPERATOR_H_
#define SWITCHYARD_PHI_ONNX_EVERY_OPERATOR_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/data_type.h"
#include "phi/onnx/onnx_form.h"

namespace switchyard::phi {

// Returns all forms, sorted by domain, type and version.
absl::Span<const OnnxForm* const> AllOnnxForms();

// Returns the forms of a type, by version; none for a type that has none.
absl::Span<const OnnxForm* const> OnnxFormsOfType(std::string_view domain,
                                                  std::string_view type);

// Returns the form of a type for a version of its domain and inputs of these
// dtypes (OnnxForm::Takes); null if there is none.
const OnnxForm* FindOnnxForm(std::string_view domain, std::string_view type,
                             int64_t version,
                             absl::Span<const DataType> inputs);

// Returns the forms that lead to this operator, in the order of its entry.
absl::Span<const OnnxForm> OnnxFormsOfOp(const OpInfo& op);

// Returns the forms of each operator that has one, sorted by the operators'
// names; generated.
absl::Span<const OnnxFormsOf* const> OnnxFormsByOp();

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_ONNX_EVERY_OPERATOR_H_

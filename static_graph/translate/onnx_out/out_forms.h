// SPDX-License-Identifier: Apache-2.0
// Operators of ours as nodes of ONNX: by a form of its entry (`onnx:`), read
// the other way round, or by a function. Each family has a table in a file of
// its own (out_*.cc), and no other file names an operator. An operator with
// neither is written by its parts, if it has a composite.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_FORMS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_FORMS_H_

#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "static_graph/translate/onnx_out/out_call.h"

namespace switchyard::static_graph {

// How the operator `name` is written in opsets 17 to 28.
struct OutForm {
  std::string_view name;
  void (*write)(OutCall& call);
};

// The families' tables.
absl::Span<const OutForm> UnaryOutForms();
absl::Span<const OutForm> BinaryOutForms();
absl::Span<const OutForm> ActivationOutForms();
absl::Span<const OutForm> ReductionOutForms();
absl::Span<const OutForm> MatrixOutForms();
absl::Span<const OutForm> ShapeOutForms();
absl::Span<const OutForm> ArrangementOutForms();
absl::Span<const OutForm> SliceOutForms();
absl::Span<const OutForm> IndexOutForms();
absl::Span<const OutForm> CreationOutForms();
absl::Span<const OutForm> ConvolutionOutForms();
absl::Span<const OutForm> PoolingOutForms();
absl::Span<const OutForm> NormalizationOutForms();
absl::Span<const OutForm> ResizeOutForms();
absl::Span<const OutForm> RecurrentOutForms();
absl::Span<const OutForm> LossOutForms();
absl::Span<const OutForm> QuantizationOutForms();
absl::Span<const OutForm> SequenceOutForms();
absl::Span<const OutForm> DetectionOutForms();
absl::Span<const OutForm> PriorOutForms();
absl::Span<const OutForm> LodOutForms();
absl::Span<const OutForm> LodRecurrentOutForms();

// Returns the function of an operator; null if it has none.
const OutForm* FindOutForm(std::string_view name);
// Returns all of them, sorted by name.
std::vector<const OutForm*> AllOutForms();

// Writes the call by a form of the operator's entry. Returns false, and writes
// nothing, if no form fits the opset, the dtypes and the attributes.
bool WriteByForm(OutCall& call);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_FORMS_H_

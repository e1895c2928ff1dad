// SPDX-License-Identifier: Apache-2.0
// FindLowering: how an operator of ONNX becomes calls of ours. Each family has
// a table in a file of its own (lower_*.cc), and no other file names an
// operator.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_LOWERINGS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_LOWERINGS_H_

#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "static_graph/translate/onnx/onnx_call.h"

namespace switchyard::static_graph {

// ONNX Runtime's own operators, which its tools write into models.
inline constexpr char kMicrosoft[] = "com.microsoft";

// How the operator `type` of a domain is lowered, in every version that the
// schema facts have from opset 6 on.
struct OnnxLowering {
  std::string_view type;
  void (*lower)(OnnxCall& call);
  std::string_view domain = "";
};

// The families' tables.
absl::Span<const OnnxLowering> OnnxUnaryLowerings();
absl::Span<const OnnxLowering> OnnxBinaryLowerings();
absl::Span<const OnnxLowering> OnnxActivationLowerings();
absl::Span<const OnnxLowering> OnnxReductionLowerings();
absl::Span<const OnnxLowering> OnnxMatrixLowerings();
absl::Span<const OnnxLowering> OnnxShapeLowerings();
absl::Span<const OnnxLowering> OnnxSliceLowerings();
absl::Span<const OnnxLowering> OnnxPadLowerings();
absl::Span<const OnnxLowering> OnnxIndexLowerings();
absl::Span<const OnnxLowering> OnnxCreationLowerings();
absl::Span<const OnnxLowering> OnnxConvolutionLowerings();
absl::Span<const OnnxLowering> OnnxPoolingLowerings();
absl::Span<const OnnxLowering> OnnxNormalizationLowerings();
absl::Span<const OnnxLowering> OnnxLossLowerings();
absl::Span<const OnnxLowering> OnnxQuantizationLowerings();
absl::Span<const OnnxLowering> OnnxResizeLowerings();
absl::Span<const OnnxLowering> OnnxRecurrentLowerings();
absl::Span<const OnnxLowering> OnnxControlLowerings();
absl::Span<const OnnxLowering> OnnxRandomLowerings();
absl::Span<const OnnxLowering> OnnxSequenceLowerings();
absl::Span<const OnnxLowering> OnnxScanLowerings();
absl::Span<const OnnxLowering> OnnxSamplingLowerings();
absl::Span<const OnnxLowering> OnnxBoxLowerings();
absl::Span<const OnnxLowering> OnnxSignalLowerings();
absl::Span<const OnnxLowering> OnnxTextLowerings();
absl::Span<const OnnxLowering> OnnxTrainingLowerings();
absl::Span<const OnnxLowering> OnnxVectorizerLowerings();
absl::Span<const OnnxLowering> OnnxIntegerLowerings();
absl::Span<const OnnxLowering> OnnxQuantizedLowerings();
absl::Span<const OnnxLowering> OnnxContributedLowerings();
absl::Span<const OnnxLowering> OnnxUniqueLowerings();
absl::Span<const OnnxLowering> OnnxAttentionLowerings();
absl::Span<const OnnxLowering> OnnxFusedAttentionLowerings();
absl::Span<const OnnxLowering> OnnxCategoryLowerings();
absl::Span<const OnnxLowering> OnnxFeatureLowerings();
absl::Span<const OnnxLowering> OnnxLinearLowerings();
absl::Span<const OnnxLowering> OnnxTreeLowerings();
absl::Span<const OnnxLowering> OnnxVectorMachineLowerings();

// Returns all of them, sorted by domain and type.
std::vector<const OnnxLowering*> AllOnnxLowerings();
// Returns null for an operator that has none.
const OnnxLowering* FindLowering(std::string_view domain,
                                 std::string_view type);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_LOWERINGS_H_

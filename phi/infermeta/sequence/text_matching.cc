// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sequence/text_matching.h"

#include <string>
#include <utility>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {
namespace {

constexpr Dim kAny = Dim::Unknown();

absl::Status CheckPositive(std::string_view attr, int value) {
  if (value > 0) return absl::OkStatus();
  return ArgumentError(attr, "1 or more", std::to_string(value));
}

absl::Status CheckElements(const TensorSpec& x) {
  if (IsColumn(x)) return absl::OkStatus();
  return ArgumentError("x", "of shape [rows] or [rows, 1]", ToString(x.shape));
}

}  // namespace

absl::Status MatchMatrixTensorInferMeta(const TensorSpec& x,
                                        const TensorSpec& y,
                                        const TensorSpec& w, int dim_t,
                                        TensorSpec* out, TensorSpec* tmp) {
  SY_RETURN_IF_ERROR(CheckPositive("dim_t", dim_t));
  SY_RETURN_IF_ERROR(CheckRank("x", x, 2));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("y", y, x.dtype, Shape({kAny, kAny})));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape(
      "w", w, x.dtype, Shape({x.shape[1], Dim(dim_t), y.shape[1]})));
  SY_RETURN_IF_ERROR(SetSequences(x.dtype, Shape({kAny, 1}), 1, out));
  SY_ASSIGN_OR_RETURN(const Dim rows,
                      Product({x.shape[0], Dim(dim_t), w.shape[2]}));
  return SetOutput(tmp, x.dtype, Shape({rows, 1}));
}

absl::Status SequenceTopkAvgPoolingInferMeta(const TensorSpec& x,
                                             const TensorSpec& row,
                                             const TensorSpec& column,
                                             absl::Span<const int> topks,
                                             int channel_num, TensorSpec* out,
                                             TensorSpec* pos) {
  SY_RETURN_IF_ERROR(CheckPositive("channel_num", channel_num));
  if (topks.empty()) {
    return ArgumentError("topks", "one number or more", "none");
  }
  for (const int topk : topks) SY_RETURN_IF_ERROR(CheckPositive("topks", topk));
  SY_RETURN_IF_ERROR(CheckElements(x));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("row", row, 1));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("column", column, 1));
  SY_ASSIGN_OR_RETURN(
      const Dim width,
      Multiply(Dim(channel_num), Dim(static_cast<int64_t>(topks.size()))));
  SY_RETURN_IF_ERROR(
      SetSequences(x.dtype, Shape({row.shape[0], width}), row.lod_levels, out));
  return SetOutput(pos, DataType::kInt32, Shape({kAny}));
}

absl::Status VarConv2dInferMeta(const TensorSpec& x, const TensorSpec& row,
                                const TensorSpec& column, const TensorSpec& w,
                                int input_channel, int output_channel,
                                int stride_h, int stride_w, int kernel_h,
                                int kernel_w, TensorSpec* out,
                                TensorSpec* col) {
  const std::pair<const char*, int> numbers[] = {
      {"input_channel", input_channel}, {"output_channel", output_channel},
      {"stride_h", stride_h},           {"stride_w", stride_w},
      {"kernel_h", kernel_h},           {"kernel_w", kernel_w}};
  for (const auto& [name, number] : numbers) {
    SY_RETURN_IF_ERROR(CheckPositive(name, number));
  }
  SY_RETURN_IF_ERROR(CheckElements(x));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("row", row, 1));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("column", column, 1));
  SY_ASSIGN_OR_RETURN(
      const Dim window,
      Product({Dim(input_channel), Dim(kernel_h), Dim(kernel_w)}));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("w", w, x.dtype,
                                        Shape({Dim(output_channel), window})));
  SY_RETURN_IF_ERROR(SetSequences(x.dtype, Shape({kAny, 1}), 1, out));
  return SetSequences(x.dtype, Shape({kAny, 1}), 1, col);
}

absl::Status TreeConvInferMeta(const TensorSpec& nodes_vector,
                               const TensorSpec& edge_set,
                               const TensorSpec& filter, int max_depth,
                               TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckPositive("max_depth", max_depth));
  SY_RETURN_IF_ERROR(CheckRank("nodes_vector", nodes_vector, 3));
  const Shape& nodes = nodes_vector.shape;
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("edge_set", edge_set, DataType::kInt32,
                                        Shape({nodes[0], kAny, Dim(2)})));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("filter", filter, nodes_vector.dtype,
                                        Shape({nodes[2], Dim(3), kAny, kAny})));
  return SetOutput(
      out, nodes_vector.dtype,
      Shape({nodes[0], nodes[1], filter.shape[2], filter.shape[3]}));
}

}  // namespace switchyard::phi

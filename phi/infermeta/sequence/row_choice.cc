// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sequence/row_choice.h"

#include <algorithm>
#include <string>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/sequence/sequence_rules.h"

namespace switchyard::phi {
namespace {

constexpr Dim kAny = Dim::Unknown();

absl::Status CheckMask(const TensorSpec& mask, int level) {
  SY_RETURN_IF_ERROR(CheckDtype("mask", mask, DataType::kBool));
  if (!IsColumn(mask)) {
    return ArgumentError("mask", "of shape [items] or [items, 1]",
                         ToString(mask.shape));
  }
  if (level >= 0) return absl::OkStatus();
  return ArgumentError("level", "0 or more", std::to_string(level));
}

}  // namespace

absl::Status FilterByInstagInferMeta(const TensorSpec& ins,
                                     const TensorSpec& ins_tag,
                                     const TensorSpec& filter_tag,
                                     TensorSpec* out, TensorSpec* loss_weight,
                                     TensorSpec* index_map) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("ins", ins, 1));
  SY_RETURN_IF_ERROR(CheckDtype("ins_tag", ins_tag, DataType::kInt64));
  if (!IsColumn(ins_tag)) {
    return ArgumentError("ins_tag", "of shape [tags] or [tags, 1]",
                         ToString(ins_tag.shape));
  }
  SY_RETURN_IF_ERROR(CheckDtype("filter_tag", filter_tag, DataType::kInt64));
  SY_RETURN_IF_ERROR(SetSequences(ins.dtype, WithAnyRows(ins.shape), 1, out));
  SY_RETURN_IF_ERROR(
      SetSequences(DataType::kFloat32, Shape({kAny, 1}), 1, loss_weight));
  return SetSequences(DataType::kInt64, Shape({kAny, 3}), 1, index_map);
}

absl::Status SplitLodTensorInferMeta(const TensorSpec& x,
                                     const TensorSpec& mask, int level,
                                     TensorSpec* out_true,
                                     TensorSpec* out_false) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  SY_RETURN_IF_ERROR(CheckMask(mask, level));
  const int levels = std::max(x.lod_levels - level, 0);
  const Shape shape = WithAnyRows(x.shape);
  SY_RETURN_IF_ERROR(SetSequences(x.dtype, shape, levels, out_true));
  return SetSequences(x.dtype, shape, levels, out_false);
}

absl::Status MergeLodTensorInferMeta(const TensorSpec& x,
                                     const TensorSpec& mask,
                                     const TensorSpec& in_true,
                                     const TensorSpec& in_false, int level,
                                     TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckMask(mask, level));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("in_true", in_true, 1));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("in_false", in_false, in_true.dtype,
                                        WithAnyRows(in_true.shape)));
  const int own = std::max(in_true.lod_levels, in_false.lod_levels);
  const int above = own == 0 ? 0 : std::min<int>(level, x.lod_levels);
  return SetSequences(in_true.dtype, WithAnyRows(in_true.shape), above + own,
                      out);
}

}  // namespace switchyard::phi

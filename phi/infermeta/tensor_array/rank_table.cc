// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/tensor_array/rank_table.h"

#include <algorithm>
#include <string>

#include "framework/tensor/tensor_array.h"
#include "framework/types/lod_levels.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/sequence/sequence_rules.h"
#include "phi/infermeta/tensor_array/tensor_array.h"

namespace switchyard::phi {
namespace {

absl::Status CheckTable(const TensorSpec& rank_table) {
  SY_RETURN_IF_ERROR(CheckDtype("rank_table", rank_table, DataType::kInt64));
  return CheckShape("rank_table", rank_table, Shape({Dim::Unknown(), 2}));
}

}  // namespace

absl::Status LodRankTableInferMeta(const TensorSpec& x, int level,
                                   TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  if (level < 0 || level >= kMaxLodLevels) {
    return RangeError("level", "in [0, " + std::to_string(kMaxLodLevels) + ")",
                      std::to_string(level));
  }
  return SetSequences(DataType::kInt64, Shape({Dim::Unknown(), 2}), level, out);
}

absl::Status MaxSequenceLenInferMeta(const TensorSpec& rank_table,
                                     TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckTable(rank_table));
  return SetOutput(out, DataType::kInt64, Shape({1}));
}

absl::Status LodTensorToArrayInferMeta(const TensorSpec& x,
                                       const TensorSpec& rank_table,
                                       TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  SY_RETURN_IF_ERROR(CheckTable(rank_table));
  if (x.shape.rank() >= kMaxRank) {
    return ArgumentError("x",
                         "of at most " + std::to_string(kMaxRank - 1) + " axes",
                         ToString(x.shape));
  }
  const int below = x.lod_levels - rank_table.lod_levels - 1;
  return SetArray(x.dtype, WithAnyRows(x.shape), out, std::max(below, 0));
}

absl::Status LodTensorToArrayGradInferMeta(const TensorSpec& x,
                                           const TensorSpec& rank_table,
                                           const TensorSpec& out_grad,
                                           TensorSpec* x_grad) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(LodTensorToArrayInferMeta(x, rank_table, &out));
  SY_RETURN_IF_ERROR(CheckArrayGrad("out_grad", out_grad, out));
  return UnchangedInferMeta(x, x_grad);
}

absl::Status ArrayToLodTensorInferMeta(const TensorSpec& array,
                                       const TensorSpec& rank_table,
                                       TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckArray("array", array));
  SY_RETURN_IF_ERROR(CheckTable(rank_table));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("array", array, 2));
  const int levels =
      std::min(rank_table.lod_levels + 1 + array.lod_levels, kMaxLodLevels);
  return SetSequences(array.dtype, WithAnyRows(ElementShape(array.shape)),
                      levels, out);
}

absl::Status ArrayToLodTensorGradInferMeta(const TensorSpec& array,
                                           const TensorSpec& rank_table,
                                           const TensorSpec& out_grad,
                                           TensorSpec* array_grad) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(ArrayToLodTensorInferMeta(array, rank_table, &out));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, out));
  return SetArray(array.dtype, ElementShape(array.shape), array_grad,
                  array.lod_levels);
}

absl::Status ShrinkRnnMemoryInferMeta(const TensorSpec& x,
                                      const TensorSpec& rank_table,
                                      const TensorSpec& i, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  SY_RETURN_IF_ERROR(CheckTable(rank_table));
  SY_RETURN_IF_ERROR(CheckIndexDtype("i", i));
  SY_RETURN_IF_ERROR(CheckOneElement("i", i));
  return SetSequences(x.dtype, WithAnyRows(x.shape), x.lod_levels, out);
}

absl::Status ReorderLodTensorByRankInferMeta(const TensorSpec& x,
                                             const TensorSpec& rank_table,
                                             TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  SY_RETURN_IF_ERROR(CheckTable(rank_table));
  return SetUnchanged(x, x.lod_levels, out);
}

absl::Status ReorderLodTensorByRankGradInferMeta(const TensorSpec& rank_table,
                                                 const TensorSpec& out,
                                                 const TensorSpec& out_grad,
                                                 TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(ReorderLodTensorByRankInferMeta(out, rank_table, nullptr));
  return SetGrad(out, out_grad, out, x_grad);
}

}  // namespace switchyard::phi

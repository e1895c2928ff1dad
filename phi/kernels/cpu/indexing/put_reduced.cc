// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/indexing/put_reduced.h"

#include <array>
#include <string>

namespace switchyard::phi::kernels::cpu {

PutReduction PutReductionOf(std::string_view name) {
  if (name == "add") return PutReduction::kAdd;
  if (name == "mul" || name == "multiply") return PutReduction::kMultiply;
  if (name == "mean") return PutReduction::kMean;
  if (name == "amin") return PutReduction::kMin;
  if (name == "amax") return PutReduction::kMax;
  return PutReduction::kAssign;
}

absl::StatusOr<std::vector<int64_t>> PutPositions(const DenseTensor& arr,
                                                  const DenseTensor& indices,
                                                  int axis) {
  const int rank = arr.rank();
  const int along = axis < 0 ? axis + rank : axis;
  const int64_t extent = rank == 0 ? 1 : arr.extent(along);
  const Strides strides = ContiguousStrides(arr.shape());
  const bool wide = indices.dtype() == DataType::kInt64;
  std::vector<int64_t> positions(static_cast<size_t>(indices.numel()));
  std::array<int64_t, kMaxRank> at = {};
  for (int64_t i = 0; i < indices.numel(); ++i) {
    const int64_t given =
        wide ? indices.data<int64_t>()[i] : int64_t{indices.data<int32_t>()[i]};
    if (given < -extent || given >= extent) {
      return RangeError("indices",
                        "in [" + std::to_string(-extent) + ", " +
                            std::to_string(extent) + ")",
                        std::to_string(given));
    }
    const int64_t index = given < 0 ? given + extent : given;
    int64_t position = 0;
    for (int a = 0; a < rank; ++a) {
      position += (a == along ? index : at[a]) * strides[a];
    }
    positions[static_cast<size_t>(i)] = position;
    for (int a = rank - 1; a >= 0; --a) {
      if (++at[a] < indices.extent(a)) break;
      at[a] = 0;
    }
  }
  return positions;
}

}  // namespace switchyard::phi::kernels::cpu

// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/indexing/gather_nd.h"

#include <string>

namespace switchyard::phi::kernels::cpu {
namespace {

template <typename I>
absl::Status ReadRows(const Shape& x, int columns, const I* from, int64_t count,
                      int64_t* rows) {
  for (int64_t i = 0; i < count; ++i) {
    int64_t row = 0;
    for (int axis = 0; axis < columns; ++axis) {
      const int64_t index = *from++, extent = x.extent(axis);
      if (index < -extent || index >= extent) {
        return RangeError("index",
                          "in [" + std::to_string(-extent) + ", " +
                              std::to_string(extent) + ") for axis " +
                              std::to_string(axis),
                          std::to_string(index));
      }
      row = row * extent + (index < 0 ? index + extent : index);
    }
    rows[i] = row;
  }
  return absl::OkStatus();
}

int ColumnsOf(const DenseTensor& index) {
  return static_cast<int>(index.extent(index.rank() - 1));
}

}  // namespace

AxisSlices ChosenLines(const Shape& x, const DenseTensor& index) {
  const int columns = ColumnsOf(index);
  return {1, x.numel(0, columns), x.numel(columns, x.rank())};
}

absl::StatusOr<Workspace<int64_t>> CheckedRows(Allocator& allocator,
                                               const Shape& x,
                                               const DenseTensor& index) {
  const int64_t count = index.shape().numel(0, index.rank() - 1);
  SY_ASSIGN_OR_RETURN(Workspace<int64_t> rows,
                      Workspace<int64_t>::Make(allocator, count));
  const int columns = ColumnsOf(index);
  SY_RETURN_IF_ERROR(
      index.dtype() == DataType::kInt32
          ? ReadRows(x, columns, index.data<int32_t>(), count, rows.data())
          : ReadRows(x, columns, index.data<int64_t>(), count, rows.data()));
  return rows;
}

}  // namespace switchyard::phi::kernels::cpu

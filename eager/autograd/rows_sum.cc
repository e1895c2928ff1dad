// SPDX-License-Identifier: Apache-2.0
#include "eager/autograd/rows_sum.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "framework/memory/cpu_allocator.h"
#include "framework/types/data_type.h"
#include "framework/types/float16.h"

namespace switchyard::eager {
namespace {

absl::StatusOr<DenseTensor> NewDense(DataType dtype, const Shape& shape) {
  SY_ASSIGN_OR_RETURN(const int64_t bytes, CheckedByteSize(dtype, shape));
  SY_ASSIGN_OR_RETURN(RefPtr<Buffer> buffer, CpuAllocator().Allocate(bytes));
  DenseTensor tensor;
  tensor.SetMeta(dtype, shape, Place::Cpu());
  tensor.SetBuffer(std::move(buffer));
  return tensor;
}

int64_t BytesOf(const DenseTensor& tensor) {
  return tensor.numel() * static_cast<int64_t>(SizeOf(tensor.dtype()));
}

absl::Status CheckOnHost(const DenseTensor& values) {
  if (values.place() == Place::Cpu() && values.contiguous()) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      "gradients: SelectedRows are added on the CPU only, got " +
      ToString(values));
}

template <typename T>
void Scatter(const SelectedRows& rows, DenseTensor* to) {
  const auto count = static_cast<int64_t>(rows.rows().size());
  const int64_t width = count == 0 ? 0 : rows.values().numel() / count;
  const T* from = rows.values().data<T>();
  for (int64_t i = 0; i < count; ++i, from += width) {
    T* row = to->mutable_data<T>() + rows.rows()[i] * width;
    for (int64_t j = 0; j < width; ++j) row[j] += from[j];
  }
}

absl::Status CheckRows(const SelectedRows& rows) {
  for (const int64_t row : rows.rows()) {
    if (row >= 0 && row < rows.height()) continue;
    return RangeError("gradient: rows",
                      "in [0, " + std::to_string(rows.height()) + ")",
                      std::to_string(row));
  }
  return absl::OkStatus();
}

// Adds the rows to a dense matrix that nobody else sees.
absl::Status ScatterTo(const SelectedRows& rows, DenseTensor* to) {
  SY_RETURN_IF_ERROR(CheckOnHost(rows.values()));
  SY_RETURN_IF_ERROR(CheckRows(rows));
  switch (rows.values().dtype()) {
#define SY_DATA_TYPE(enumerator, name, type, size) \
  case DataType::enumerator:                       \
    Scatter<type>(rows, to);                       \
    break;
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
    case DataType::kUndefined:
      break;
  }
  return absl::OkStatus();
}

absl::StatusOr<Tensor> Concatenated(const SelectedRows& a,
                                    const SelectedRows& b) {
  SY_RETURN_IF_ERROR(CheckOnHost(a.values()));
  SY_RETURN_IF_ERROR(CheckOnHost(b.values()));
  SelectedRows sum;
  sum.set_height(a.height());
  sum.mutable_rows() = a.rows();
  sum.mutable_rows().insert(sum.mutable_rows().end(), b.rows().begin(),
                            b.rows().end());
  Shape shape = a.values().shape();
  shape[0] = Dim(static_cast<int64_t>(sum.rows().size()));
  SY_ASSIGN_OR_RETURN(sum.mutable_values(),
                      NewDense(a.values().dtype(), shape));
  char* to = sum.mutable_values().mutable_data<char>();
  std::memcpy(to, a.values().raw_data(), BytesOf(a.values()));
  std::memcpy(to + BytesOf(a.values()), b.values().raw_data(),
              BytesOf(b.values()));
  return Tensor(std::move(sum));
}

absl::StatusOr<Tensor> AddToDense(const DenseTensor& dense,
                                  const SelectedRows& rows) {
  SY_RETURN_IF_ERROR(CheckOnHost(dense));
  SY_ASSIGN_OR_RETURN(DenseTensor sum, NewDense(dense.dtype(), dense.shape()));
  std::memcpy(sum.mutable_data<char>(), dense.raw_data(), BytesOf(dense));
  SY_RETURN_IF_ERROR(ScatterTo(rows, &sum));
  return Tensor(std::move(sum));
}

bool IsRows(const Tensor& tensor) {
  return tensor.kind() == TensorKind::kSelectedRows;
}

}  // namespace

absl::StatusOr<Tensor> AddRows(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) {
    return ArgumentError("gradient", ToString(a), ToString(b));
  }
  if (IsRows(a) && IsRows(b)) {
    return Concatenated(a.selected_rows(), b.selected_rows());
  }
  return IsRows(a) ? AddToDense(b.dense(), a.selected_rows())
                   : AddToDense(a.dense(), b.selected_rows());
}

absl::StatusOr<Tensor> Densified(const Tensor& tensor) {
  if (!IsRows(tensor)) return tensor;
  SY_ASSIGN_OR_RETURN(DenseTensor dense,
                      NewDense(tensor.dtype(), tensor.shape()));
  std::memset(dense.mutable_data<char>(), 0, BytesOf(dense));
  SY_RETURN_IF_ERROR(ScatterTo(tensor.selected_rows(), &dense));
  return Tensor(std::move(dense));
}

}  // namespace switchyard::eager

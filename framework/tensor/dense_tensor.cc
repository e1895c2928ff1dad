// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/dense_tensor.h"

#include <optional>

#include "framework/base/checked_math.h"

namespace switchyard {

void DenseTensor::SetMeta(DataType dtype, const Shape& shape, Place place) {
  meta_ = TensorMeta();
  meta_.dtype = dtype;
  meta_.place = place;
  meta_.shape = shape;
  meta_.strides = ContiguousStrides(shape);
  numel_ = shape.numel();
  buffer_ = nullptr;
}

void DenseTensor::SetView(const DenseTensor& base, const Shape& shape,
                          const Strides& strides, int64_t offset) {
  // `base` may be this tensor: read it before writing.
  TensorMeta meta = base.meta_;
  RefPtr<Buffer> buffer = base.buffer_;
  meta.shape = shape;
  meta.strides = strides;
  meta.offset = offset;
  meta.contiguous = IsContiguous(shape, strides);
  meta_ = meta;
  buffer_ = std::move(buffer);
  numel_ = shape.numel();
}

absl::StatusOr<int64_t> CheckedByteSize(DataType dtype, const Shape& shape) {
  SY_ASSIGN_OR_RETURN(const int64_t count, shape.NumElements());
  const std::optional<int64_t> bytes =
      CheckedMultiply(count, static_cast<int64_t>(SizeOf(dtype)));
  if (bytes.has_value()) return *bytes;
  return SizeError("shape", "of fewer than 2^63 bytes",
                   std::string(Name(dtype)) + ToString(shape));
}

std::string ToString(const DenseTensor& tensor) {
  return std::string(Name(tensor.dtype())) + ToString(tensor.shape()) + " on " +
         ToString(tensor.place());
}

}  // namespace switchyard

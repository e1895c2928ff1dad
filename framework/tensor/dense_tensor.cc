// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/dense_tensor.h"

#include <optional>

#include "absl/base/optimization.h"
#include "framework/base/checked_math.h"
#include "framework/types/spec_text.h"

namespace switchyard {

absl::StatusOr<DenseTensor> DenseTensor::Allocate(DataType dtype,
                                                  const Shape& shape,
                                                  Allocator& allocator,
                                                  LayoutDescriptor layout) {
  SY_ASSIGN_OR_RETURN(const int64_t bytes,
                      CheckedByteSize(dtype, shape, layout));
  DenseTensor tensor;
  tensor.SetMeta(dtype, shape, allocator.place());
  tensor.SetLayout(layout);
  SY_ASSIGN_OR_RETURN(tensor.buffer_,
                      allocator.Allocate(static_cast<size_t>(bytes)));
  return tensor;
}

void DenseTensor::SetMeta(DataType dtype, const Shape& shape, Place place) {
  meta_.dtype = dtype;
  meta_.layout = LayoutDescriptor();
  meta_.place = place;
  meta_.contiguous = true;
  meta_.offset = 0;
  meta_.shape = shape;
  numel_ = LayOutContiguous(meta_.shape, &meta_.strides);
  if (buffer_) buffer_ = nullptr;
}

void DenseTensor::SetView(const DenseTensor& base, const Shape& shape,
                          const Strides& strides, int64_t offset) {
  // `base` may be this tensor: read it before writing.
  TensorMeta meta = base.meta();
  RefPtr<Buffer> buffer = base.buffer();
  meta.lod_levels = meta_.lod_levels;
  meta.shape = shape;
  meta.strides = strides;
  meta.offset = offset;
  meta.contiguous = IsContiguous(shape, strides);
  meta_ = meta;
  buffer_ = std::move(buffer);
  numel_ = shape.numel();
}

void DenseTensor::SetLod(std::shared_ptr<const LoD> lod) {
  if (lod != nullptr && lod->offsets.empty()) lod = nullptr;  // None.
  meta_.lod_levels =
      lod == nullptr ? 0 : static_cast<uint8_t>(lod->offsets.size());
  lod_ = std::move(lod);
}

absl::StatusOr<int64_t> CheckedByteSize(DataType dtype, const Shape& shape) {
  // The usual sizes; one that leaves int64 on the way may still be empty.
  int64_t size = static_cast<int64_t>(ElementSize(dtype));
  bool fits = true;
  for (const Dim dim : shape.dims()) {
    fits &= !__builtin_mul_overflow(size, dim.value(), &size);
  }
  if (ABSL_PREDICT_TRUE(fits)) return size;
  SY_ASSIGN_OR_RETURN(const int64_t count, shape.NumElements());
  const std::optional<int64_t> bytes =
      CheckedMultiply(count, static_cast<int64_t>(ElementSize(dtype)));
  if (bytes.has_value()) return *bytes;
  return SizeError("shape", "of fewer than 2^63 bytes", SpecText(dtype, shape));
}

absl::StatusOr<int64_t> CheckedByteSize(DataType dtype, const Shape& shape,
                                        LayoutDescriptor layout) {
  if (layout.strided()) return CheckedByteSize(dtype, shape);
  if (!Describes(layout, shape)) {
    return ArgumentError("layout", "of the rank of " + ToString(shape),
                         Name(layout));
  }
  SY_ASSIGN_OR_RETURN(const Shape in_memory, ShapeInMemory(layout, shape));
  return CheckedByteSize(dtype, in_memory);
}

std::string ToString(const DenseTensor& tensor) {
  return SpecText(tensor.dtype(), tensor.shape()) + " on " +
         ToString(tensor.place());
}

}  // namespace switchyard

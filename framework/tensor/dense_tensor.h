// SPDX-License-Identifier: Apache-2.0
// DenseTensor: metadata and a shared Buffer.
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_DENSE_TENSOR_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_DENSE_TENSOR_H_

#include <memory>
#include <string>
#include <utility>

#include "framework/memory/buffer.h"
#include "framework/tensor/lod.h"
#include "framework/tensor/tensor_base.h"
#include "framework/types/data_type.h"
#include "framework/types/layout_descriptor.h"
#include "framework/types/place.h"
#include "framework/types/shape.h"

namespace switchyard {

// Elements at strides in a shared buffer: element (i, j) of x is
// x.data<T>()[i * x.strides()[0] + j * x.strides()[1]]. Copies and views share
// the buffer, which lives as long as any of them. No accessor fails; memory
// that is not there yet is null.
//   SY_ASSIGN_OR_RETURN(
//       DenseTensor x,
//       DenseTensor::Allocate(DataType::kFloat32, {2, 3},
//       context.allocator()));
//   std::fill_n(x.mutable_data<float>(), x.numel(), 1.0f);
class DenseTensor : public TensorBase {
 public:
  // Makes a tensor without dtype and buffer: an output before its kernel ran,
  // or an absent one.
  DenseTensor() : TensorBase(TensorKind::kDense) {}
  // Makes a tensor over `buffer` (which may be null: metadata only).
  DenseTensor(TensorMeta meta, RefPtr<Buffer> buffer)
      : TensorBase(std::move(meta), std::move(buffer)),
        numel_(meta_.shape.numel()) {
    meta_.kind = TensorKind::kDense;
    meta_.lod_levels = 0;
  }

  // Makes a tensor with memory of the allocator's place, whose contents are
  // unspecified: row-major, or in `layout`. `shape` must be known(). SizeError
  // if the bytes leave int64, ResourceExhausted if there is no memory.
  static absl::StatusOr<DenseTensor> Allocate(DataType dtype,
                                              const Shape& shape,
                                              Allocator& allocator,
                                              LayoutDescriptor layout = {});

  const Strides& strides() const { return meta_.strides; }
  int64_t offset() const { return meta_.offset; }
  int64_t numel() const { return numel_; }
  // Returns the bytes of its elements, without gaps and padding.
  size_t byte_size() const {
    return static_cast<size_t>(numel_) * ElementSize(dtype());
  }

  // Returns the first element; null if !allocated(). T must be the C++ type of
  // dtype().
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(raw_data());
  }
  template <typename T>
  T* mutable_data() {
    return static_cast<T*>(const_cast<void*>(raw_data()));
  }
  const void* raw_data() const {
    return buffer_
               ? static_cast<const char*>(buffer_->data()) +
                     meta_.offset * static_cast<int64_t>(ElementSize(dtype()))
               : nullptr;
  }

  // Sets dtype and shape with row-major strides; drops the buffer. Dispatch
  // does this to an output after InferMeta, and the kernel then allocates.
  void SetMeta(DataType dtype, const Shape& shape, Place place);
  // Gives a tensor with metadata its bytes.
  void SetBuffer(RefPtr<Buffer> buffer) { buffer_ = std::move(buffer); }
  // Makes this a view: same dtype and buffer as `base`, own geometry.
  void SetView(const DenseTensor& base, const Shape& shape,
               const Strides& strides, int64_t offset);
  // The buffer's bytes are then CheckedByteSize() of this layout; strides mean
  // nothing, and elements are found by ShapeInMemory().
  void SetLayout(LayoutDescriptor layout) { meta_.layout = layout; }

  // Returns the level of detail of a legacy sequence tensor; null for all
  // others.
  const std::shared_ptr<const LoD>& lod() const { return lod_; }
  void SetLod(std::shared_ptr<const LoD> lod);

 private:
  int64_t numel_ = 1;
  std::shared_ptr<const LoD> lod_;
};

// Returns the bytes of a contiguous tensor. SizeError where elements or bytes
// leave int64; `shape` must be known(). Call it before SetMeta on a shape from
// outside.
absl::StatusOr<int64_t> CheckedByteSize(DataType dtype, const Shape& shape);
// Does the same for a tensor of another layout, padding included.
// ArgumentError if `layout` does not describe `shape`.
absl::StatusOr<int64_t> CheckedByteSize(DataType dtype, const Shape& shape,
                                        LayoutDescriptor layout);

// Returns "float32[2, 3] on cpu".
std::string ToString(const DenseTensor& tensor);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_DENSE_TENSOR_H_

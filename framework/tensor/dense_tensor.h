// SPDX-License-Identifier: Apache-2.0
// DenseTensor: metadata and a shared Buffer. A plain value: copying it shares
// the buffer. It knows nothing of gradients (eager/tensor.h does) and does not
// allocate by itself: contexts do (DeviceContext::Allocate).
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_DENSE_TENSOR_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_DENSE_TENSOR_H_

#include <memory>
#include <string>
#include <utility>

#include "framework/memory/buffer.h"
#include "framework/tensor/lod.h"
#include "framework/tensor/meta_tensor.h"
#include "framework/tensor/tensor_base.h"
#include "framework/types/backend.h"
#include "framework/types/data_type.h"
#include "framework/types/place.h"
#include "framework/types/shape.h"

namespace switchyard {

// Everything about a tensor but its bytes; what InferMeta sees of it is a part,
// so that a call hands it over as it stands. `strides` and `offset` count
// elements; `contiguous` says that strides are row-major without gaps.
struct TensorMeta : MetaTensor {
  Place place;
  bool contiguous = true;
  Strides strides = {};
  int64_t offset = 0;
};

class DenseTensor : public TensorBase {
 public:
  // No dtype, no buffer: an output before its kernel ran, or an absent one.
  DenseTensor() : TensorBase(TensorKind::kDense) {}
  // A tensor over `buffer` (which may be null: metadata only).
  DenseTensor(TensorMeta meta, RefPtr<Buffer> buffer)
      : TensorBase(TensorKind::kDense),
        meta_(std::move(meta)),
        buffer_(std::move(buffer)),
        numel_(meta_.shape.numel()) {
    meta_.lod_levels = 0;
  }

  DataType dtype() const { return meta_.dtype; }
  DataLayout layout() const { return meta_.layout; }
  Place place() const { return meta_.place; }
  const Shape& shape() const { return meta_.shape; }
  const Strides& strides() const { return meta_.strides; }
  int64_t offset() const { return meta_.offset; }
  bool contiguous() const { return meta_.contiguous; }
  int rank() const { return meta_.shape.rank(); }
  int64_t extent(int axis) const { return meta_.shape.extent(axis); }
  int64_t numel() const { return numel_; }
  const TensorMeta& meta() const { return meta_; }

  // True if a buffer is there (an empty tensor has one too).
  bool allocated() const { return static_cast<bool>(buffer_); }
  const RefPtr<Buffer>& buffer() const { return buffer_; }

  // The first element; T must be the C++ type of dtype(). Null if !allocated().
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(raw_data());
  }
  template <typename T>
  T* mutable_data() {
    return static_cast<T*>(const_cast<void*>(raw_data()));
  }
  const void* raw_data() const {
    return buffer_ ? static_cast<const char*>(buffer_->data()) +
                         meta_.offset * static_cast<int64_t>(SizeOf(dtype()))
                   : nullptr;
  }

  // Sets dtype and shape with row-major strides; drops the buffer. What
  // dispatch does to an output after InferMeta; the kernel then allocates.
  void SetMeta(DataType dtype, const Shape& shape, Place place);
  // Gives a tensor with metadata its bytes.
  void SetBuffer(RefPtr<Buffer> buffer) { buffer_ = std::move(buffer); }
  // Makes this a view: same dtype and buffer as `base`, own geometry.
  void SetView(const DenseTensor& base, const Shape& shape,
               const Strides& strides, int64_t offset);
  void SetLayout(DataLayout layout) { meta_.layout = layout; }

  // Level of detail of a legacy sequence tensor; null for all others.
  const std::shared_ptr<const LoD>& lod() const { return lod_; }
  void SetLod(std::shared_ptr<const LoD> lod);

 private:
  TensorMeta meta_;
  RefPtr<Buffer> buffer_;
  int64_t numel_ = 1;
  std::shared_ptr<const LoD> lod_;
};

// Bytes of a contiguous tensor. SizeError where elements or bytes leave int64;
// `shape` must be known(). Call it before SetMeta on a shape from outside.
absl::StatusOr<int64_t> CheckedByteSize(DataType dtype, const Shape& shape);

// "float32[2, 3] on cpu".
std::string ToString(const DenseTensor& tensor);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_DENSE_TENSOR_H_

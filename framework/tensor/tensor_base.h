// SPDX-License-Identifier: Apache-2.0
// TensorBase: what every kind of tensor has. The kinds are DenseTensor
// (dense_tensor.h), SelectedRows (selected_rows.h), the sparse tensors
// (sparse.h), TensorArray (tensor_array.h) and StringTensor (string_tensor.h);
// one whose kind is known at run time only is made by owned_tensor.h.
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_TENSOR_BASE_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_TENSOR_BASE_H_

#include <utility>

#include "framework/memory/buffer.h"
#include "framework/types/data_type.h"
#include "framework/types/layout_descriptor.h"
#include "framework/types/place.h"
#include "framework/types/shape.h"
#include "framework/types/tensor_spec.h"

namespace switchyard {

// Everything about a tensor but its bytes; what InferMeta sees of it is a part,
// so that a call hands it over as it stands. `strides` and `offset` count
// elements; `contiguous` says that strides are row-major without gaps. Of a
// tensor that is not dense, dtype and shape are those of the matrix that it
// stands for, strides and offset those of its values.
struct TensorMeta : TensorSpec {
  Place place;
  bool contiguous = true;
  Strides strides = {};
  int64_t offset = 0;
};

// The part that all kinds of tensors share: kind, metadata, and the buffer of
// the values. Dispatch and both executors hold tensors by this type; code that
// needs the parts of one kind checks kind() before it casts down:
//   if (tensor.kind() == TensorKind::kDense) {
//     Use(static_cast<const DenseTensor&>(tensor));
//   }
// A tensor is a plain value that shares its buffer with its copies: metadata
// are each copy's own, elements are not. Threads may read one tensor together;
// one that changes it has it alone, and the code that shares a buffer orders
// its writes.
class TensorBase {
 public:
  TensorKind kind() const { return meta_.kind; }
  DataType dtype() const { return meta_.dtype; }
  LayoutDescriptor layout() const { return meta_.layout; }
  Place place() const { return meta_.place; }
  const Shape& shape() const { return meta_.shape; }
  int rank() const { return meta_.shape.rank(); }
  int64_t extent(int axis) const { return meta_.shape.extent(axis); }
  bool contiguous() const { return meta_.contiguous; }
  const TensorMeta& meta() const { return meta_; }

  // True if a buffer is there (an empty tensor has one too).
  bool allocated() const { return static_cast<bool>(buffer_); }
  // The buffer that the values are in. Its version counts the writes.
  const RefPtr<Buffer>& buffer() const { return buffer_; }

 protected:
  // No dtype, no buffer.
  explicit TensorBase(TensorKind kind) { meta_.kind = kind; }
  TensorBase(TensorMeta meta, RefPtr<Buffer> buffer)
      : meta_(std::move(meta)), buffer_(std::move(buffer)) {}
  TensorBase(const TensorBase&) = default;
  TensorBase& operator=(const TensorBase&) = default;
  TensorBase(TensorBase&&) = default;
  TensorBase& operator=(TensorBase&&) = default;
  ~TensorBase() = default;

  TensorMeta meta_;
  RefPtr<Buffer> buffer_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_TENSOR_BASE_H_

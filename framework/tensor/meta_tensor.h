// SPDX-License-Identifier: Apache-2.0
// MetaTensor: what InferMeta functions see and fill in, the same for the eager
// and the static executor: dtype, shape (Dims may be unknown), kind, levels of
// detail. It has no bytes and no place: what a tensor has is a TensorMeta
// (framework/tensor/tensor_base.h).
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_META_TENSOR_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_META_TENSOR_H_

#include "framework/types/data_type.h"
#include "framework/types/layout_descriptor.h"
#include "framework/types/shape.h"
#include "framework/types/tensor_kind.h"

namespace switchyard {

// The metadata of a tensor that InferMeta functions read and fill in, the same
// for the eager and the static executor: dtype, shape (Dims may be unknown),
// kind, levels of detail. It has no bytes and no place.
struct MetaTensor {
  DataType dtype = DataType::kUndefined;
  TensorKind kind = TensorKind::kDense;
  uint8_t lod_levels = 0;
  LayoutDescriptor layout;  // Strided, but between a kernel and its transforms.
  Shape shape;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_META_TENSOR_H_

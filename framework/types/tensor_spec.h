// SPDX-License-Identifier: Apache-2.0
// TensorSpec: what InferMeta functions see and fill in. What a tensor has is a
// TensorMeta (framework/tensor/tensor_base.h).
#ifndef SWITCHYARD_FRAMEWORK_TYPES_TENSOR_SPEC_H_
#define SWITCHYARD_FRAMEWORK_TYPES_TENSOR_SPEC_H_

#include "framework/types/data_type.h"
#include "framework/types/layout_descriptor.h"
#include "framework/types/shape.h"
#include "framework/types/tensor_kind.h"

namespace switchyard {

// The metadata of a tensor that InferMeta functions read and fill in, the same
// for the eager and the static executor: dtype, shape (Dims may be unknown),
// kind, levels of detail. It has no bytes and no place.
struct TensorSpec {
  DataType dtype = DataType::kUndefined;
  TensorKind kind = TensorKind::kDense;
  uint8_t lod_levels = 0;
  LayoutDescriptor layout;  // Strided, but between a kernel and its transforms.
  Shape shape;

  friend bool operator==(const TensorSpec& a, const TensorSpec& b) {
    return a.dtype == b.dtype && a.shape == b.shape && a.layout == b.layout &&
           a.kind == b.kind && a.lod_levels == b.lod_levels;
  }
  template <typename H>
  friend H AbslHashValue(H state, const TensorSpec& spec) {
    state = H::combine(std::move(state), spec.dtype, spec.layout, spec.kind,
                       spec.lod_levels, spec.shape.rank());
    for (Dim dim : spec.shape.dims()) {
      state = H::combine(std::move(state), dim.known(),
                         dim.known() ? dim.value() : 0,
                         dim.symbolic() ? dim.symbol() + int64_t{1} : 0);
    }
    return state;
  }
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_TENSOR_SPEC_H_

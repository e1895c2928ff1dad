// SPDX-License-Identifier: Apache-2.0
// TensorType: the type of every value of a program.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_TYPE_H_
#define SWITCHYARD_STATIC_GRAPH_IR_TYPE_H_

#include <string>
#include <utility>

#include "framework/types/data_type.h"
#include "framework/types/layout_descriptor.h"
#include "framework/types/shape.h"
#include "framework/types/tensor_kind.h"

namespace switchyard::static_graph::ir {

// The description that a TensorType is made from.
struct TensorSpec {
  DataType dtype = DataType::kUndefined;
  Shape shape;
  LayoutDescriptor layout;
  TensorKind kind = TensorKind::kDense;
  int lod_levels = 0;

  friend bool operator==(const TensorSpec& a, const TensorSpec& b) {
    return a.dtype == b.dtype && a.shape == b.shape && a.layout == b.layout &&
           a.kind == b.kind && a.lod_levels == b.lod_levels;
  }
};

// The type of a value: dtype, shape as far as it is known, layout, kind and LoD
// levels. There is no list type: a Tensor[] argument is several operands
// (static_graph/ir/segments.h). A pointer to a TensorSpec that its Context
// owns; cheap to copy. Types are uniqued, so two types are equal exactly if
// their pointers are. A default constructed one is null and has no properties.
// Made by Context::GetTensorType.
class TensorType {
 public:
  constexpr TensorType() = default;

  constexpr explicit operator bool() const { return spec_ != nullptr; }
  const TensorSpec& spec() const { return *spec_; }
  DataType dtype() const { return spec_->dtype; }
  const Shape& shape() const { return spec_->shape; }
  LayoutDescriptor layout() const { return spec_->layout; }
  TensorKind kind() const { return spec_->kind; }
  int lod_levels() const { return spec_->lod_levels; }

  friend bool operator==(TensorType a, TensorType b) {
    return a.spec_ == b.spec_;
  }
  friend bool operator!=(TensorType a, TensorType b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H state, TensorType type) {
    return H::combine(std::move(state), type.spec_);
  }

 private:
  friend class Context;
  constexpr explicit TensorType(const TensorSpec* spec) : spec_(spec) {}
  const TensorSpec* spec_ = nullptr;
};

// Returns "tensor<float32[?, 784]>"; what differs from strided, dense and LoD 0
// follows the shape: "tensor<float32[8, 2], layout Ab8a, kind selected_rows,
// lod 1>". The parser reads it back; "null" for a null type.
std::string ToString(TensorType type);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_TYPE_H_

// SPDX-License-Identifier: Apache-2.0
// The dialect `mesh`: tensors that are cut along an axis of a mesh of devices.
// A dialect of another workspace, with a type, an attribute and operations of
// its own; Switchyard has no line for it.
//
//   %0 = mesh.cut(%x) {axis = mesh.axis<"x", 4>, dim = 0}
//        : mesh.placed<tensor<float32[8, 2]>, mesh.axis<"x", 4>, 0>
//   %1 = mesh.gather(%0) : tensor<float32[8, 2]>
#ifndef CONSUMER_MESH_MESH_DIALECT_H_
#define CONSUMER_MESH_MESH_DIALECT_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "static_graph/ir/context.h"

namespace mesh {

namespace ir = switchyard::static_graph::ir;

inline constexpr char kCutOp[] = "mesh.cut";
inline constexpr char kGatherOp[] = "mesh.gather";
inline constexpr char kAxisAttr[] = "axis";  // Of mesh.cut: an AxisAttribute.
inline constexpr char kDimAttr[] = "dim";    // Of mesh.cut: an int.

// mesh.axis<"x", 4>: an axis of the mesh, by name, and its number of devices.
class AxisAttribute : public ir::Attribute {
 public:
  using Key = std::pair<std::string, int64_t>;
  using Storage = ir::KeyedAttributeStorage<Key>;
  using ir::Attribute::Attribute;

  const std::string& name() const { return key<AxisAttribute>().first; }
  int64_t devices() const { return key<AxisAttribute>().second; }
};

// mesh.placed<tensor<...>, mesh.axis<...>, 0>: a tensor of which each device of
// the axis holds an equal part along a dimension. The tensor type is that of
// the whole.
class PlacedType : public ir::Type {
 public:
  using Key = std::tuple<ir::TensorType, ir::Attribute, int>;
  using Storage = ir::KeyedTypeStorage<Key>;
  using ir::Type::Type;

  ir::TensorType tensor() const { return std::get<0>(key<PlacedType>()); }
  AxisAttribute axis() const {
    return std::get<1>(key<PlacedType>()).As<AxisAttribute>();
  }
  int dim() const { return std::get<2>(key<PlacedType>()); }
};

// Returns the dialect, for ir::Context::Register.
ir::Dialect MeshDialect();

}  // namespace mesh

#endif  // CONSUMER_MESH_MESH_DIALECT_H_

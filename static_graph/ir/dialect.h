// SPDX-License-Identifier: Apache-2.0
// Dialect: operations, types and attributes under one name, as an object that
// registers them with a Context.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_DIALECT_H_
#define SWITCHYARD_STATIC_GRAPH_IR_DIALECT_H_

#include <string>
#include <vector>

#include "static_graph/ir/attribute.h"
#include "static_graph/ir/op_definition.h"
#include "static_graph/ir/type.h"

namespace switchyard::static_graph::ir {

// A dialect's contribution to the IR: operations with their traits and
// interfaces, types and attributes with the functions that print, parse, verify
// and save them. A workspace of its own may have one: examples/consumer/mesh.
//
//   ir::Dialect mesh;
//   mesh.name = "mesh";
//   mesh.types = {placed};        // "mesh.placed"
//   mesh.attributes = {axis};     // "mesh.axis"
//   mesh.operations = {cut, gather};
//   SY_RETURN_IF_ERROR(context.Register(mesh));
struct Dialect {
  std::string name;
  std::vector<OpDefinition> operations;
  std::vector<TypeDefinition> types;
  std::vector<AttributeDefinition> attributes;
};

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_DIALECT_H_

// SPDX-License-Identifier: Apache-2.0
// ParsePython: the key `python:` of an entry.
#ifndef SWITCHYARD_OPS_GEN_PARSER_PYTHON_PARSER_H_
#define SWITCHYARD_OPS_GEN_PARSER_PYTHON_PARSER_H_

#include "absl/status/status.h"
#include "ops_gen/parser/yaml_node.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// Reads where the Python package shows the operator as it is. One place, with
// the other names that the operator has there, then modules:
//   method (mm), nn.functional
//   nn.functional
//   none
// Without the key: a method if elementwise, else none. Needs op.traits.
absl::Status ParsePython(const YamlFields& fields, Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_PYTHON_PARSER_H_

// SPDX-License-Identifier: Apache-2.0
// Checks the names that the grammar allows: those that C++ and Python allow
// too, and that generated code does not use itself.
#ifndef SWITCHYARD_OPS_GEN_PARSER_NAMES_H_
#define SWITCHYARD_OPS_GEN_PARSER_NAMES_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ops_gen/parser/yaml_node.h"

namespace switchyard::ops_gen {

// Checks the name of an operator or an argument: lower case, digits,
// underscores.
absl::Status CheckName(std::string_view name);

// A C++ name in upper camel case or lower case: an InferMeta function, a
// functor, a composite body.
absl::StatusOr<std::string> FunctionName(const YamlNode& node);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_NAMES_H_

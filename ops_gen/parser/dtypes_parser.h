// SPDX-License-Identifier: Apache-2.0
// ParseDtypes: dtypes by the name of their set, or a list of them.
#ifndef SWITCHYARD_OPS_GEN_PARSER_DTYPES_PARSER_H_
#define SWITCHYARD_OPS_GEN_PARSER_DTYPES_PARSER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ops_gen/parser/yaml_node.h"

namespace switchyard::ops_gen {

// "floating", or "[int8, float32]" where no set has a name for that.
absl::StatusOr<std::vector<std::string>> ParseDtypes(const YamlNode& node);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_DTYPES_PARSER_H_

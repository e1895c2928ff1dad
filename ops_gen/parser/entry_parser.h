// SPDX-License-Identifier: Apache-2.0
// One entry of a family file (`- op:` or `- backward_op:`) into an Op. Checks
// what an entry alone can tell; the family parser checks entries against each
// other.
#ifndef SWITCHYARD_OPS_GEN_PARSER_ENTRY_PARSER_H_
#define SWITCHYARD_OPS_GEN_PARSER_ENTRY_PARSER_H_

#include <string>

#include "absl/status/statusor.h"
#include "ops_gen/parser/yaml_node.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// `family` is the default header of InferMeta functions. `previous` is the
// entry above (null for the first): the forward operator of a backward entry.
absl::StatusOr<Op> ParseEntry(const YamlNode& node, const std::string& family,
                              const Op* previous);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_ENTRY_PARSER_H_

// SPDX-License-Identifier: Apache-2.0
// The keys that add facts to arguments and outputs: promote, amp, inplace,
// view, optional, intermediate, no_need_buffer, data_transform, traits.
#ifndef SWITCHYARD_OPS_GEN_PARSER_FACTS_PARSER_H_
#define SWITCHYARD_OPS_GEN_PARSER_FACTS_PARSER_H_

#include <string_view>

#include "absl/status/status.h"
#include "ops_gen/parser/yaml_node.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// Needs op.signature.
absl::Status ParseFacts(const YamlFields& fields, Op& op);

bool HasTrait(const Op& op, std::string_view trait);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_FACTS_PARSER_H_

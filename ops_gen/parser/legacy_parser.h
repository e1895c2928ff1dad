// SPDX-License-Identifier: Apache-2.0
// `paddle:`, the legacy forms of an operator.
#ifndef SWITCHYARD_OPS_GEN_PARSER_LEGACY_PARSER_H_
#define SWITCHYARD_OPS_GEN_PARSER_LEGACY_PARSER_H_

#include "absl/status/status.h"
#include "ops_gen/parser/yaml_node.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// Needs op.signature.
absl::Status ParseLegacyForms(const YamlFields& fields, Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_LEGACY_PARSER_H_

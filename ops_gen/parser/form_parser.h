// SPDX-License-Identifier: Apache-2.0
// `paddle:` and `onnx:`, the forms of an operator in other vocabularies.
#ifndef SWITCHYARD_OPS_GEN_PARSER_FORM_PARSER_H_
#define SWITCHYARD_OPS_GEN_PARSER_FORM_PARSER_H_

#include "absl/status/status.h"
#include "ops_gen/parser/yaml_node.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// Needs op.signature.
absl::Status ParseForms(const YamlFields& fields, Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_FORM_PARSER_H_

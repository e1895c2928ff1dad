// SPDX-License-Identifier: Apache-2.0
// `result:`, what the documentation says of an operator's outputs.
#ifndef SWITCHYARD_OPS_GEN_PARSER_RESULT_PARSER_H_
#define SWITCHYARD_OPS_GEN_PARSER_RESULT_PARSER_H_

#include "absl/status/status.h"
#include "ops_gen/parser/yaml_node.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// Sets OutputFacts::result of each output, from `result:`, from the sentence of
// the InferMeta rule (ops_gen/schema/result_rules.def), or, of an output that
// is always in the memory of an input, from that. An error for a forward
// operator with an output that none of these describes, unless it is
// intermediate. Reads `op` as all other keys have made it.
absl::Status ParseResult(const YamlNode& entry, const YamlFields& fields,
                         Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_RESULT_PARSER_H_

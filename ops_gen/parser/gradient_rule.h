// SPDX-License-Identifier: Apache-2.0
// `infer_meta: gradient` of a backward operator: its shapes are those of the
// forward operator's inputs (ops_gen/emit/infer_meta.h).
#ifndef SWITCHYARD_OPS_GEN_PARSER_GRADIENT_RULE_H_
#define SWITCHYARD_OPS_GEN_PARSER_GRADIENT_RULE_H_

#include "absl/status/status.h"
#include "ops_gen/parser/yaml_node.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// Checks that the gradient has all that the forward operator's InferMeta takes,
// and sets op.infer_meta->header, if the entry has that rule. `previous` is the
// entry above, or null; op.gradient has been filled.
absl::Status ResolveGradientRule(const YamlFields& fields, const Op* previous,
                                 Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_GRADIENT_RULE_H_

// SPDX-License-Identifier: Apache-2.0
// Maps the arguments of a backward operator to those of its forward operator,
// the entry right above. Names make the mapping: the backward operator takes
// forward arguments, forward outputs and <output>_grad, and yields
// <input>_grad.
#ifndef SWITCHYARD_OPS_GEN_PARSER_GRADIENT_PARSER_H_
#define SWITCHYARD_OPS_GEN_PARSER_GRADIENT_PARSER_H_

#include "absl/status/status.h"
#include "ops_gen/parser/yaml_node.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// `forward_only: [gpu]` of a forward entry: backends whose kernels have no
// gradient yet.
absl::Status ParseForwardOnly(const YamlFields& fields, Op& op);

// Fills op.gradient of a `backward_op`; `previous` is the entry above, or null.
absl::Status ParseGradient(const YamlNode& entry, const YamlFields& fields,
                           const Op* previous, Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_GRADIENT_PARSER_H_

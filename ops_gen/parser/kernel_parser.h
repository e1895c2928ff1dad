// SPDX-License-Identifier: Apache-2.0
// The keys about functions that are written by hand: infer_meta, kernel (with
// data_type) and kernels, the coverage contract.
#ifndef SWITCHYARD_OPS_GEN_PARSER_KERNEL_PARSER_H_
#define SWITCHYARD_OPS_GEN_PARSER_KERNEL_PARSER_H_

#include <string>

#include "absl/status/status.h"
#include "ops_gen/parser/yaml_node.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// Both need op.signature. `family` is the default header.
absl::Status ParseInferMeta(const YamlFields& fields, const std::string& family,
                            Op& op);
absl::Status ParseKernel(const YamlFields& fields, const std::string& family,
                         Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_KERNEL_PARSER_H_

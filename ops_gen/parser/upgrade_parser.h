// SPDX-License-Identifier: Apache-2.0
// ParseUpgrades: the keys `version:` and `upgrades:` of an entry.
#ifndef SWITCHYARD_OPS_GEN_PARSER_UPGRADE_PARSER_H_
#define SWITCHYARD_OPS_GEN_PARSER_UPGRADE_PARSER_H_

#include "absl/status/status.h"
#include "ops_gen/parser/yaml_node.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// Reads both keys into `op`, whose signature and facts are parsed. The rules
// stand in the order of their versions; the last leads to the entry's version,
// and none is left out between. What an upgrade adds may be left out of a call:
// optional inputs and outputs, attributes with a value for older programs.
absl::Status ParseUpgrades(const YamlFields& fields, Op& op);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_PARSER_UPGRADE_PARSER_H_

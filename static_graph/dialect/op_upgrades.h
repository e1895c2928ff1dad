// SPDX-License-Identifier: Apache-2.0
// Upgrades of saved programs: turn calls of an older version of an operator
// into calls of today's. The rules are data of the operators' entries
// (`upgrades:` in YAML, OpUpgrade in dialect_op.h); saved_program.h reads the
// versions.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_OP_UPGRADES_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_OP_UPGRADES_H_

#include <map>
#include <string>

#include "framework/base/status.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

// The versions of operators that a program was written with, by name.
using OperatorVersions = std::map<std::string, int32_t>;

// Returns the versions of the operators that `program` calls, as this image
// knows them.
OperatorVersions VersionsOf(const ir::Program& program);

// Checks that each operator is registered with `context` and can be brought
// from its version to today's. NotFound for an operator that is unknown;
// FailedPrecondition for a newer version and for an older one from which no
// rules lead on. Errors name the operator and both versions.
absl::Status CheckUpgrades(const ir::Context& context,
                           const OperatorVersions& versions);

// Makes today's calls of those of `versions`, which CheckUpgrades() accepted,
// one version after the other. The program need not have passed the verifier,
// which checks the result. Programs from before versions were counted say
// version 1 whatever they have: a change that is there already is left out.
void UpgradeOperators(const OperatorVersions& versions, ir::Program* program);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_OP_UPGRADES_H_

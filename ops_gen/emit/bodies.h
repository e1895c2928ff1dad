// SPDX-License-Identifier: Apache-2.0
// The bodies of composites as functions of one type, which both executors run
// (phi/composite/bodies/<op>.gen.h).
#ifndef SWITCHYARD_OPS_GEN_EMIT_BODIES_H_
#define SWITCHYARD_OPS_GEN_EMIT_BODIES_H_

#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// For each operator with `composite:` or `invoke:` the function that unpacks
// the arguments and calls the body ("ReluGradBody").
std::vector<GeneratedFile> EmitBodies(const Family& family);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_BODIES_H_

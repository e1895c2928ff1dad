// SPDX-License-Identifier: Apache-2.0
// Operators as functions that bodies of composites call
// (phi/composite/calls/<op>.gen.h).
#ifndef SWITCHYARD_OPS_GEN_EMIT_CALLS_H_
#define SWITCHYARD_OPS_GEN_EMIT_CALLS_H_

#include <string>
#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

std::string CallHeaderPath(const std::string& op);

// For each operator the function of its name in namespace op: its inputs and
// attributes in order, and its results.
std::vector<GeneratedFile> EmitCalls(const Family& family);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_CALLS_H_

// SPDX-License-Identifier: Apache-2.0
// static_graph/dialect: for each operator its DialectOp and the class that
// builds and reads its operations by argument names (<op>.gen.{h,cc}); from
// names, the list of all.
#ifndef SWITCHYARD_OPS_GEN_EMIT_DIALECT_H_
#define SWITCHYARD_OPS_GEN_EMIT_DIALECT_H_

#include <string>
#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

std::vector<GeneratedFile> EmitDialect(const Family& family);

// every_operator.gen.cc, from the names of all operators.
std::vector<GeneratedFile> EmitAllDialect(
    const std::vector<std::string>& names);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_DIALECT_H_

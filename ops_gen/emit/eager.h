// SPDX-License-Identifier: Apache-2.0
// eager/ops: for each operator its EagerOp and the C++ functions that throw
// (<op>.gen.{h,cc}); from names alone, the list of all (every_operator.gen.cc)
// and the public header switchyard/ops.h.
#ifndef SWITCHYARD_OPS_GEN_EMIT_EAGER_H_
#define SWITCHYARD_OPS_GEN_EMIT_EAGER_H_

#include <string>
#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

std::vector<GeneratedFile> EmitEager(const Family& family);

// every_operator.gen.cc, from the names of all operators.
std::vector<GeneratedFile> EmitAllEager(const std::vector<std::string>& names);

// switchyard/ops.h, from the names of the forward operators and of the in-place
// forms ("relu", "relu_ relu": the function and the operator of its header).
std::vector<GeneratedFile> EmitPublicHeader(
    const std::vector<std::string>& lines);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_EAGER_H_

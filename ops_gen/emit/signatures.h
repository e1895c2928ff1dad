// SPDX-License-Identifier: Apache-2.0
// phi/core/signatures: for each operator its OpInfo, its InferMeta thunk and
// the signature that its kernels are checked against (<op>.gen.{h,cc}), the
// struct of its kernels' arguments, if they are many (<op>.args.gen.h); for
// each operator with a gradient its GradInfo (<op>_grad_map.gen.{h,cc}).
#ifndef SWITCHYARD_OPS_GEN_EMIT_SIGNATURES_H_
#define SWITCHYARD_OPS_GEN_EMIT_SIGNATURES_H_

#include <string>
#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

std::vector<GeneratedFile> EmitSignatures(const Family& family);

// every_operator.gen.cc: the list of all OpInfos, from names alone.
std::vector<GeneratedFile> EmitAllSignatures(
    const std::vector<std::string>& names);

// "SoftmaxSignature", from the kernel function's name.
std::string SignatureName(const std::string& kernel);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_SIGNATURES_H_

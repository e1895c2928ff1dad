// SPDX-License-Identifier: Apache-2.0
// phi/onnx: the forms of each operator with an `onnx:` list
// (<op>.gen.{h,cc}).
#ifndef SWITCHYARD_OPS_GEN_EMIT_ONNX_FORMS_H_
#define SWITCHYARD_OPS_GEN_EMIT_ONNX_FORMS_H_

#include <string>
#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

std::vector<GeneratedFile> EmitOnnxForms(const Family& family);

// every_operator.gen.cc: the forms by operator, from names alone.
std::vector<GeneratedFile> EmitAllOnnxForms(
    const std::vector<std::string>& names);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_ONNX_FORMS_H_

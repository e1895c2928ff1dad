// SPDX-License-Identifier: Apache-2.0
// phi/api: the functional C++ API, one function an operator that has kernels
// (or invokes one that has), over phi/dispatch. A header holds it whole:
// <op>.gen.h.
#ifndef SWITCHYARD_OPS_GEN_EMIT_API_H_
#define SWITCHYARD_OPS_GEN_EMIT_API_H_

#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

std::vector<GeneratedFile> EmitApi(const Family& family);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_API_H_

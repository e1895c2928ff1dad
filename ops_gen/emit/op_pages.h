// SPDX-License-Identifier: Apache-2.0
// The operator reference: a page for a family (docs/ops/<family>.md), and the
// same facts as data (<family>.json), which ./sy ops lists.
#ifndef SWITCHYARD_OPS_GEN_EMIT_OP_PAGES_H_
#define SWITCHYARD_OPS_GEN_EMIT_OP_PAGES_H_

#include <vector>

#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

std::vector<GeneratedFile> EmitOpPages(const Family& family);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_OP_PAGES_H_

// SPDX-License-Identifier: Apache-2.0
// The emitters by the name of their layer: what the ops_gen tool and the golden
// files run.
#ifndef SWITCHYARD_OPS_GEN_EMIT_LAYERS_H_
#define SWITCHYARD_OPS_GEN_EMIT_LAYERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ops_gen/emit/text.h"
#include "ops_gen/schema/op.h"

namespace switchyard::ops_gen {

// All files of a layer for one family. An error for an unknown layer.
absl::StatusOr<std::vector<GeneratedFile>> EmitLayer(const std::string& layer,
                                                     const Family& family);

// The files that need only names: `lines` holds one a line.
absl::StatusOr<std::vector<GeneratedFile>> EmitAggregate(
    const std::string& layer, const std::string& lines);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_EMIT_LAYERS_H_

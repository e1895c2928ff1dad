// SPDX-License-Identifier: Apache-2.0
// What ops_gen makes of a specimen, as golden files: one a layer, that is all
// files of the layer one after another. The test compares them with those that
// are checked in; the update command writes them.
#ifndef SWITCHYARD_OPS_GEN_GOLDEN_RENDER_H_
#define SWITCHYARD_OPS_GEN_GOLDEN_RENDER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ops_gen/emit/text.h"

namespace switchyard::ops_gen {

// The folder of the specimens, from the workspace's root.
inline constexpr char kGoldenFolder[] = "ops_gen/golden/";

// The names of the golden files below kGoldenFolder ("relu/eager.golden") and
// their texts, for every specimen in `root`/ops_gen/golden.
absl::StatusOr<std::vector<GeneratedFile>> RenderSpecimens(
    const std::string& root);

absl::StatusOr<std::string> ReadTextFile(const std::string& path);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_GOLDEN_RENDER_H_

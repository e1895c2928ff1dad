// SPDX-License-Identifier: Apache-2.0
// What ops_gen makes of a specimen, as golden files: one a layer, that is all
// files of the layer one after another. Those that kept.txt names are checked
// in: the test compares them, the update command writes them.
#ifndef SWITCHYARD_OPS_GEN_GOLDEN_RENDER_H_
#define SWITCHYARD_OPS_GEN_GOLDEN_RENDER_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ops_gen/emit/text.h"

namespace switchyard::ops_gen {

// The folder of the specimens, from the workspace's root.
inline constexpr char kGoldenFolder[] = "ops_gen/golden/";

// Returns the names of the golden files below kGoldenFolder
// ("relu/eager.golden") and their texts, for every layer of every specimen in
// `root`/ops_gen/golden, kept or not.
absl::StatusOr<std::vector<GeneratedFile>> RenderSpecimens(
    const std::string& root);

// Returns the names of the golden files that are checked in: those of
// `root`/ops_gen/golden/kept.txt, whose lines are "specimen: layer ...", and
// those of the aggregates.
absl::StatusOr<std::set<std::string>> KeptNames(const std::string& root);

absl::StatusOr<std::string> ReadTextFile(const std::string& path);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_GOLDEN_RENDER_H_

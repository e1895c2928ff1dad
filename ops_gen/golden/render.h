// SPDX-License-Identifier: Apache-2.0
// The files that ops_gen makes of a specimen, as golden files: those of a layer
// one after another. kept.txt names the ones that are checked in: the test
// compares them, the update command writes them.
#ifndef SWITCHYARD_OPS_GEN_GOLDEN_RENDER_H_
#define SWITCHYARD_OPS_GEN_GOLDEN_RENDER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ops_gen/emit/text.h"

namespace switchyard::ops_gen {

// The folder of the specimens, from the workspace's root.
inline constexpr char kGoldenFolder[] = "ops_gen/golden/";

// The files of a layer of a specimen: "relu/eager".
struct RenderedLayer {
  std::string name;
  std::vector<GeneratedFile> files;
};

// Returns every layer of every specimen in `root`/ops_gen/golden, kept or not.
absl::StatusOr<std::vector<RenderedLayer>> RenderSpecimens(
    const std::string& root);

// Returns the golden files that are checked in, named below kGoldenFolder
// ("relu/eager.golden"): the aggregates, and what `root`/ops_gen/golden/kept.txt
// names, whose lines are "specimen: part ...". A part is a layer ("eager"), that
// is all of its files as they are, or one of its files ("eager/relu.gen.cc"), of
// which the frame is left out. NotFound for a part that nothing makes.
absl::StatusOr<std::vector<GeneratedFile>> GoldenFiles(
    const std::string& root, const std::vector<RenderedLayer>& layers);

absl::StatusOr<std::string> ReadTextFile(const std::string& path);

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_GOLDEN_RENDER_H_

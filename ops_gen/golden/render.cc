// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/golden/render.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "framework/base/status.h"
#include "ops_gen/emit/layers.h"
#include "ops_gen/parser/family_parser.h"

namespace switchyard::ops_gen {
namespace {

constexpr const char* kLayers[] = {"signatures",  "api",
                                   "calls",       "bodies",
                                   "eager",       "dialect",
                                   "legacy",      "onnx",
                                   "python",      "reference_kernels",
                                   "cpu_kernels", "onednn_kernels",
                                   "gpu_kernels", "gpudnn_kernels",
                                   "op_pages"};
// Lines for the aggregates: a kernel set and the public header.
constexpr const char* kAggregates[] = {"kernel_table", "public_header"};

std::string Join(const std::vector<GeneratedFile>& files) {
  std::string text;
  for (const GeneratedFile& file : files) {
    absl::StrAppend(&text, "======== ", file.name, "\n", file.text);
  }
  return text;
}

absl::Status RenderSpecimen(const std::string& path, const std::string& name,
                            std::vector<GeneratedFile>& golden) {
  SY_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path));
  SY_ASSIGN_OR_RETURN(
      const Family family,
      ParseFamily(absl::StrCat(kGoldenFolder, name, ".yaml"), text));
  for (const char* layer : kLayers) {
    SY_ASSIGN_OR_RETURN(const std::vector<GeneratedFile> files,
                        EmitLayer(layer, family));
    if (files.empty()) continue;
    golden.push_back({absl::StrCat(name, "/", layer, ".golden"), Join(files)});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadTextFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

absl::StatusOr<std::vector<GeneratedFile>> RenderSpecimens(
    const std::string& root) {
  const std::string folder = root + "/" + kGoldenFolder;
  std::vector<std::string> specimens;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    specimens.push_back(entry.path().stem().string());
  }
  std::sort(specimens.begin(), specimens.end());
  std::vector<GeneratedFile> golden;
  for (const std::string& name : specimens) {
    SY_RETURN_IF_ERROR(
        RenderSpecimen(absl::StrCat(folder, name, ".yaml"), name, golden));
  }
  for (const char* layer : kAggregates) {
    SY_ASSIGN_OR_RETURN(const std::string lines,
                        ReadTextFile(absl::StrCat(folder, layer, ".lines")));
    SY_ASSIGN_OR_RETURN(const std::vector<GeneratedFile> files,
                        EmitAggregate(layer, lines));
    golden.push_back({absl::StrCat(layer, ".golden"), Join(files)});
  }
  return golden;
}

absl::StatusOr<std::set<std::string>> KeptNames(const std::string& root) {
  SY_ASSIGN_OR_RETURN(
      const std::string text,
      ReadTextFile(absl::StrCat(root, "/", kGoldenFolder, "kept.txt")));
  std::set<std::string> names;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    for (const absl::string_view layer : absl::StrSplit(parts.second, ' ')) {
      names.insert(absl::StrCat(parts.first, "/", layer, ".golden"));
    }
  }
  for (const char* layer : kAggregates) {
    names.insert(absl::StrCat(layer, ".golden"));
  }
  return names;
}

}  // namespace switchyard::ops_gen

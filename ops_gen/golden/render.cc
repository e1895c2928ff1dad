// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/golden/render.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
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

// Whether a line belongs to the frame that is the same in all files of a layer:
// directives and namespaces.
bool IsFrame(absl::string_view line) {
  return absl::StartsWith(line, "#") || absl::StartsWith(line, "namespace ") ||
         absl::StartsWith(line, "}  // namespace");
}

// `text` without its frame and the comment at its head, and without two empty
// lines in a row.
std::string WithoutFrame(absl::string_view text) {
  std::string body;
  bool in_head = true;
  bool blank = true;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    in_head &= absl::StartsWith(line, "//") || absl::StartsWith(line, "# ");
    if (in_head || IsFrame(line) || (blank && line.empty())) continue;
    blank = line.empty();
    absl::StrAppend(&body, line, "\n");
  }
  absl::StripTrailingAsciiWhitespace(&body);
  return absl::StrCat(body, "\n");
}

absl::Status RenderSpecimen(const std::string& path, const std::string& name,
                            std::vector<RenderedLayer>& layers) {
  SY_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path));
  SY_ASSIGN_OR_RETURN(
      const Family family,
      ParseFamily(absl::StrCat(kGoldenFolder, name, ".yaml"), text));
  for (const char* layer : kLayers) {
    SY_ASSIGN_OR_RETURN(std::vector<GeneratedFile> files,
                        EmitLayer(layer, family));
    if (files.empty()) continue;
    layers.push_back({absl::StrCat(name, "/", layer), std::move(files)});
  }
  return absl::OkStatus();
}

// Appends what a part of kept.txt names, "relu/eager/relu.gen.cc" or
// "relu/eager", to its golden file.
absl::Status AppendPart(absl::string_view part,
                        const std::vector<RenderedLayer>& layers,
                        std::map<std::string, std::string>& golden) {
  bool found = false;
  for (const RenderedLayer& layer : layers) {
    for (const GeneratedFile& file : layer.files) {
      const bool alone = part == absl::StrCat(layer.name, "/", file.name);
      if (!alone && part != layer.name) continue;
      found = true;
      absl::StrAppend(&golden[absl::StrCat(layer.name, ".golden")], "======== ",
                      file.name, "\n",
                      alone ? WithoutFrame(file.text) : file.text);
    }
  }
  if (found) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat("kept.txt names ", part, ", which nothing makes"));
}

}  // namespace

absl::StatusOr<std::string> ReadTextFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

absl::StatusOr<std::vector<RenderedLayer>> RenderSpecimens(
    const std::string& root) {
  const std::string folder = root + "/" + kGoldenFolder;
  std::vector<std::string> specimens;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    specimens.push_back(entry.path().stem().string());
  }
  std::sort(specimens.begin(), specimens.end());
  std::vector<RenderedLayer> layers;
  for (const std::string& name : specimens) {
    SY_RETURN_IF_ERROR(
        RenderSpecimen(absl::StrCat(folder, name, ".yaml"), name, layers));
  }
  for (const char* layer : kAggregates) {
    SY_ASSIGN_OR_RETURN(const std::string lines,
                        ReadTextFile(absl::StrCat(folder, layer, ".lines")));
    SY_ASSIGN_OR_RETURN(std::vector<GeneratedFile> files,
                        EmitAggregate(layer, lines));
    layers.push_back({layer, std::move(files)});
  }
  return layers;
}

absl::StatusOr<std::vector<GeneratedFile>> GoldenFiles(
    const std::string& root, const std::vector<RenderedLayer>& layers) {
  SY_ASSIGN_OR_RETURN(
      const std::string text,
      ReadTextFile(absl::StrCat(root, "/", kGoldenFolder, "kept.txt")));
  std::map<std::string, std::string> golden;
  for (const char* layer : kAggregates) {
    SY_RETURN_IF_ERROR(AppendPart(layer, layers, golden));
  }
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    for (const absl::string_view part : absl::StrSplit(parts.second, ' ')) {
      SY_RETURN_IF_ERROR(
          AppendPart(absl::StrCat(parts.first, "/", part), layers, golden));
    }
  }
  std::vector<GeneratedFile> files;
  for (const auto& [name, contents] : golden) files.push_back({name, contents});
  return files;
}

}  // namespace switchyard::ops_gen

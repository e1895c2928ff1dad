// SPDX-License-Identifier: Apache-2.0
#include "static_graph/model/model_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/file.h"

namespace switchyard::static_graph {
namespace {

namespace fs = std::filesystem;

// How a saved program begins (static_graph/program/section_file.cc).
constexpr std::string_view kSavedMark = "SYPROG";
constexpr char kOldModel[] = "__model__";
constexpr char kModel[] = ".pdmodel";
constexpr char kJson[] = ".json";
constexpr char kOnnx[] = ".onnx";
constexpr char kParameters[] = ".pdiparams";
// A training program and the one that gives its variables their first values.
constexpr char kMain[] = "main";
constexpr char kStartup[] = "startup";

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// The first bytes of a file; fewer where it is shorter.
std::string BeginningOf(const fs::path& path) {
  std::string start(kSavedMark.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<size_t>(file.gcount()));
  return start;
}

// An ONNX model begins with a number, the version of its format, whose field no
// description of PaddlePaddle's has as a number; then comes another field.
bool HasOnnxMark(std::string_view bytes) {
  constexpr char kVersionField = 0x08;
  // Files of other systems have the versions 1 and 2 there.
  constexpr char kOldest = 3;
  constexpr char kNewest = 32;
  return bytes.size() > 2 && bytes[0] == kVersionField && bytes[1] >= kOldest &&
         bytes[1] < kNewest;
}

// Returns the files of a folder whose names end so.
std::vector<fs::path> FilesWith(const char* extension, const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  // Not a range-for, whose steps throw.
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() == extension) found.push_back(path);
  }
  return found;
}

// The one *.pdiparams of a folder, whose stem need not be the program's; empty
// if there is none, or if there are several.
fs::path OnlyParameters(const fs::path& folder) {
  std::vector<fs::path> found = FilesWith(kParameters, folder);
  found.erase(
      std::remove_if(found.begin(), found.end(),
                     [](const fs::path& path) { return !IsFile(path); }),
      found.end());
  return found.size() == 1 ? found[0] : fs::path();
}

// A program of PaddlePaddle, with its weights if they are in one file of a
// usual name.
ModelFiles BesideProgram(const fs::path& program) {
  ModelFiles files;
  files.format = program.extension() == kJson ? ModelFormat::kPaddleJson
                                              : ModelFormat::kPaddleDesc;
  files.program = program.string();
  fs::path same_stem = program;
  same_stem.replace_extension(kParameters);
  const fs::path folder = program.parent_path();
  for (const fs::path& weights :
       {same_stem, folder / "__params__", folder / "params", folder / "weights",
        OnlyParameters(folder.empty() ? fs::path(".") : folder)}) {
    if (weights == program || !IsFile(weights)) continue;
    files.weights = weights.string();
    break;
  }
  return files;
}

// Other files may be JSON, too: of several, programs are those beside which
// there are weights of the same stem.
std::vector<fs::path> ProgramsInJson(std::vector<fs::path> files) {
  if (files.size() == 1) return files;
  std::vector<fs::path> programs;
  for (const fs::path& file : files) {
    fs::path weights = file;
    weights.replace_extension(kParameters);
    if (IsFile(weights)) programs.push_back(file);
  }
  return programs;
}

absl::StatusOr<ModelFiles> FindInFolder(const std::string& folder) {
  const fs::path root(folder);
  if (IsFile(root / kOldModel)) return BesideProgram(root / kOldModel);
  for (const char* extension : {kModel, kJson}) {
    const fs::path main = root / absl::StrCat(kMain, extension);
    const fs::path startup = root / absl::StrCat(kStartup, extension);
    if (!IsFile(main) || !IsFile(startup)) continue;
    ModelFiles files = BesideProgram(main);
    files.startup = startup.string();
    return files;
  }
  std::vector<fs::path> programs = FilesWith(kModel, root);
  if (programs.empty()) programs = ProgramsInJson(FilesWith(kJson, root));
  if (programs.size() == 1) return BesideProgram(programs[0]);
  std::sort(programs.begin(), programs.end());
  std::string names;
  for (const fs::path& program : programs) {
    absl::StrAppend(&names, names.empty() ? ": " : ", ",
                    program.filename().string());
  }
  return MissingFileError(absl::StrCat(
      folder, ": must hold __model__, one *.pdmodel, one *.json, or ", kMain,
      kModel, " and ", kStartup, kModel, ", got ", programs.size(), " programs",
      names));
}

}  // namespace

std::string_view Name(ModelFormat format) {
  switch (format) {
    case ModelFormat::kSaved:
      return "saved";
    case ModelFormat::kPaddleDesc:
      return "paddle_desc";
    case ModelFormat::kPaddleJson:
      return "paddle_json";
    case ModelFormat::kOnnx:
      return "onnx";
  }
  return "";
}

ModelFormat FormatOfBytes(std::string_view bytes) {
  if (bytes.substr(0, kSavedMark.size()) == kSavedMark) {
    return ModelFormat::kSaved;
  }
  if (HasOnnxMark(bytes)) return ModelFormat::kOnnx;
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  // No field of a description begins with this byte.
  const bool object = first != std::string_view::npos && bytes[first] == '{';
  return object ? ModelFormat::kPaddleJson : ModelFormat::kPaddleDesc;
}

std::optional<ModelFormat> FormatOfPath(const std::string& path) {
  if (IsFolder(path)) return std::nullopt;
  const fs::path file(path);
  if (!IsFile(file)) return ModelFormat::kSaved;
  const std::string start = BeginningOf(file);
  if (start == kSavedMark) return ModelFormat::kSaved;
  if (file.extension() == kJson) return ModelFormat::kPaddleJson;
  if (file.extension() == kModel || file.filename() == kOldModel) {
    return ModelFormat::kPaddleDesc;
  }
  const bool onnx = file.extension() == kOnnx || HasOnnxMark(start);
  return onnx ? ModelFormat::kOnnx : ModelFormat::kSaved;
}

absl::StatusOr<ModelFiles> FindModelFiles(const std::string& path,
                                          const std::string& weights) {
  ModelFiles files;
  const std::optional<ModelFormat> format = FormatOfPath(path);
  if (!format.has_value()) {
    SY_ASSIGN_OR_RETURN(files, FindInFolder(path));
  } else if (*format == ModelFormat::kOnnx) {
    if (!weights.empty()) {
      return ArgumentError("weights",
                           "absent, since an ONNX model names its own files",
                           weights);
    }
    files.format = ModelFormat::kOnnx;
    files.program = path;
  } else if (*format != ModelFormat::kSaved || !weights.empty()) {
    files = BesideProgram(path);
  } else {
    files.program = path;
  }
  if (!weights.empty()) files.weights = weights;
  return files;
}

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/external_data.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {
namespace {

namespace fs = std::filesystem;

absl::Status LeadsAway(std::string_view location) {
  return ArgumentError("location", "a path inside the folder of the model",
                       absl::StrCat("'", std::string(location), "'"));
}

// Whether `path`, which has no links, is below `folder`, which has none either.
bool IsInside(const fs::path& path, const fs::path& folder) {
  const auto [from, to] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return from == folder.end() && to != path.end();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MappedFile>> ExternalFiles::Map(
    std::string_view location) {
  const std::string name(location);
  const auto found = files_.find(name);
  if (found != files_.end()) return found->second;
  const fs::path path(name);
  if (folder_.empty()) {
    return absl::InvalidArgumentError(
        "elements in other files need the path of the model, which is in "
        "memory");
  }
  if (name.empty() || name.find('\0') != std::string::npos ||
      path.is_absolute() ||
      std::find(path.begin(), path.end(), fs::path("..")) != path.end()) {
    return LeadsAway(location);
  }
  std::error_code error;
  const fs::path folder = fs::canonical(folder_, error);
  const fs::path whole = fs::weakly_canonical(folder / path, error);
  if (error || !IsInside(whole, folder)) return LeadsAway(location);
  SY_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file,
                      MappedFile::Open(whole.string()));
  files_[name] = file;
  return file;
}

}  // namespace switchyard::static_graph

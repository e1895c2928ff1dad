// SPDX-License-Identifier: Apache-2.0
#include "static_graph/model/weight_files.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/file.h"
#include "framework/memory/cpu_allocator.h"
#include "static_graph/foreign/paddle_desc/weight_stream.h"

namespace switchyard::static_graph {
namespace {

namespace fs = std::filesystem;

using Variables = std::vector<StateVariable>;

// A variable's name as a file beside the program: nothing that leads elsewhere.
absl::StatusOr<fs::path> WeightFile(const fs::path& folder,
                                    const std::string& variable) {
  const fs::path name(variable);
  const bool leads_away =
      name.is_absolute() || name.filename().empty() ||
      std::find(name.begin(), name.end(), fs::path("..")) != name.end() ||
      variable.find('\0') != std::string::npos;
  if (leads_away) {
    return ArgumentError("variable", "the name of a file in the folder",
                         absl::StrCat("'", variable, "'"));
  }
  return folder / name;
}

absl::StatusOr<std::vector<NamedTensor>> ReadOneByOne(
    const fs::path& folder, const fs::path& program,
    const Variables& variables) {
  std::vector<NamedTensor> tensors;
  for (const StateVariable& variable : variables) {
    SY_ASSIGN_OR_RETURN(const fs::path path, WeightFile(folder, variable.name));
    std::error_code error;
    if (tensors.empty() && !fs::exists(path, error)) {
      return MissingFileError(absl::StrCat(
          path.string(), ": there must be this file, or all weights in one: ",
          program.stem().string(), ".pdiparams, __params__, params, weights"));
    }
    SY_ASSIGN_OR_RETURN(const std::unique_ptr<ByteSource> source,
                        OpenFile(path.string()));
    WeightReader reader(source.get());
    absl::StatusOr<DenseTensor> tensor =
        reader.Read(variable.name, variable.spec);
    if (tensor.ok()) {
      const absl::Status whole = reader.Finish();
      if (!whole.ok()) tensor = whole;
    }
    if (!tensor.ok()) return Annotate(tensor.status(), path.string());
    tensors.push_back({variable.name, *std::move(tensor)});
  }
  return tensors;
}

absl::StatusOr<std::vector<NamedTensor>> ReadTogether(
    ByteSource* source, const Variables& variables) {
  std::vector<size_t> by_name(variables.size());
  for (size_t i = 0; i < by_name.size(); ++i) by_name[i] = i;
  std::sort(by_name.begin(), by_name.end(), [&](size_t a, size_t b) {
    return variables[a].name < variables[b].name;
  });
  WeightReader reader(source);
  std::vector<NamedTensor> tensors(variables.size());
  for (const size_t i : by_name) {
    SY_ASSIGN_OR_RETURN(tensors[i].tensor,
                        reader.Read(variables[i].name, variables[i].spec));
    tensors[i].name = variables[i].name;
  }
  SY_RETURN_IF_ERROR(reader.Finish());
  return tensors;
}

}  // namespace

absl::StatusOr<std::vector<NamedTensor>> ReadWeights(
    const ModelFiles& files, const Variables& variables) {
  const fs::path program(files.program);
  if (files.weights.empty()) {
    return ReadOneByOne(program.parent_path(), program, variables);
  }
  std::error_code error;
  if (fs::is_directory(files.weights, error)) {
    return ReadOneByOne(files.weights, program, variables);
  }
  SY_ASSIGN_OR_RETURN(const std::unique_ptr<ByteSource> source,
                      OpenFile(files.weights));
  absl::StatusOr<std::vector<NamedTensor>> tensors =
      ReadTogether(source.get(), variables);
  if (!tensors.ok()) return Annotate(tensors.status(), files.weights);
  return tensors;
}

absl::StatusOr<std::vector<NamedTensor>> ReadWeights(
    std::string_view bytes, const Variables& variables) {
  MemorySource source(bytes);
  absl::StatusOr<std::vector<NamedTensor>> tensors =
      ReadTogether(&source, variables);
  if (!tensors.ok()) return Annotate(tensors.status(), "weights");
  return tensors;
}

bool HasWeights(const ModelFiles& files, const Variables& variables) {
  if (!files.weights.empty() || variables.empty()) return true;
  const absl::StatusOr<fs::path> first =
      WeightFile(fs::path(files.program).parent_path(), variables[0].name);
  std::error_code error;
  return first.ok() && fs::is_regular_file(*first, error);
}

absl::StatusOr<std::vector<NamedTensor>> MakeZeros(const Variables& variables) {
  std::vector<NamedTensor> tensors;
  for (const StateVariable& variable : variables) {
    SY_ASSIGN_OR_RETURN(
        DenseTensor tensor,
        DenseTensor::Allocate(variable.spec.dtype, variable.spec.shape,
                              CpuAllocator()));
    std::memset(tensor.mutable_data<char>(), 0, tensor.byte_size());
    tensors.push_back({variable.name, std::move(tensor)});
  }
  return tensors;
}

}  // namespace switchyard::static_graph

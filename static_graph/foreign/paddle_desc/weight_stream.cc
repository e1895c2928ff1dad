// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_desc/weight_stream.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/types/lod_levels.h"
#include "framework/types/spec_text.h"
#include "static_graph/foreign/paddle_desc/program_desc.h"

namespace switchyard::static_graph {
namespace {

// More than the description of any tensor takes: as a message, one of very
// many extents would take many times its bytes.
constexpr int32_t kLargestDescription = 1 << 12;

// Elements that a bool may not be read from.
absl::Status CheckBools(std::string_view bytes) {
  const auto bad = std::find_if(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) > 1;
  });
  if (bad == bytes.end()) return absl::OkStatus();
  return ArgumentError("elements", "0 or 1",
                       absl::StrCat(static_cast<unsigned char>(*bad)));
}

}  // namespace

absl::StatusOr<DenseTensor> WeightReader::Read(std::string_view variable,
                                               const TensorSpec& spec) {
  absl::StatusOr<DenseTensor> tensor = ReadTensor(spec);
  if (!tensor.ok()) {
    return Annotate(tensor.status(),
                    absl::StrCat("weights of '", std::string(variable), "'"));
  }
  return tensor;
}

absl::Status WeightReader::Finish() const {
  if (source_.left() == 0) return absl::OkStatus();
  return ArgumentError("weights",
                       absl::StrCat("of ", size_ - source_.left(),
                                    " bytes, as the program says"),
                       absl::StrCat(size_));
}

absl::Status WeightReader::CheckLeft(uint64_t size,
                                     std::string_view what) const {
  if (size <= source_.left()) return absl::OkStatus();
  return ArgumentError(what, absl::StrCat("of ", size, " bytes"),
                       absl::StrCat("a file with ", source_.left(), " left"));
}

absl::StatusOr<std::string> WeightReader::Take(uint64_t size,
                                               std::string_view what) {
  SY_RETURN_IF_ERROR(CheckLeft(size, what));
  std::string taken(static_cast<size_t>(size), '\0');
  SY_RETURN_IF_ERROR(source_.Read(taken.data(), taken.size()));
  return taken;
}

template <typename T>
absl::StatusOr<T> WeightReader::Number(std::string_view what) {
  SY_RETURN_IF_ERROR(CheckLeft(sizeof(T), what));
  T number;
  SY_RETURN_IF_ERROR(source_.Read(&number, sizeof(T)));
  return number;
}

absl::Status WeightReader::ReadVersion(std::string_view what) {
  SY_ASSIGN_OR_RETURN(const uint32_t version, Number<uint32_t>(what));
  if (version == 0) return absl::OkStatus();
  return ArgumentError(what, "0", absl::StrCat(version));
}

absl::StatusOr<LoD> WeightReader::ReadLod() {
  SY_ASSIGN_OR_RETURN(const uint64_t levels,
                      Number<uint64_t>("number of levels"));
  if (levels > kMaxLodLevels) {
    return ArgumentError("number of levels",
                         absl::StrCat("at most ", kMaxLodLevels),
                         absl::StrCat(levels));
  }
  LoD lod;
  for (uint64_t i = 0; i < levels; ++i) {
    SY_ASSIGN_OR_RETURN(const uint64_t size, Number<uint64_t>("size of level"));
    SY_ASSIGN_OR_RETURN(const std::string level, Take(size, "level"));
    if (size % sizeof(int64_t) != 0) {
      return ArgumentError("size of level", "a multiple of 8",
                           absl::StrCat(size));
    }
    // Offsets beyond int64 read as negative ones, which Validate refuses.
    std::vector<int64_t> offsets(size / sizeof(int64_t));
    std::copy(level.begin(), level.end(),
              reinterpret_cast<char*>(offsets.data()));
    lod.offsets.push_back(std::move(offsets));
  }
  return lod;
}

absl::Status WeightReader::CheckDescription(const TensorSpec& spec) {
  SY_ASSIGN_OR_RETURN(const int32_t size,
                      Number<int32_t>("size of description"));
  if (size < 0 || size > kLargestDescription) {
    return ArgumentError("size of description",
                         absl::StrCat("from 0 to ", kLargestDescription),
                         absl::StrCat(size));
  }
  SY_ASSIGN_OR_RETURN(const std::string bytes,
                      Take(static_cast<uint64_t>(size), "description"));
  translate::TensorDesc desc;
  if (!desc.ParseFromArray(bytes.data(), size)) {
    return ArgumentError("description", "a tensor's", "other bytes");
  }
  SY_ASSIGN_OR_RETURN(const TensorSpec described,
                      SpecOfTensor("description", desc));
  if (described.dtype != spec.dtype || described.shape != spec.shape) {
    return ArgumentError("description", SpecText(spec) + " as in the program",
                         SpecText(described));
  }
  return absl::OkStatus();
}

absl::StatusOr<DenseTensor> WeightReader::ReadTensor(const TensorSpec& spec) {
  SY_RETURN_IF_ERROR(ReadVersion("version"));
  SY_ASSIGN_OR_RETURN(LoD lod, ReadLod());
  SY_RETURN_IF_ERROR(ReadVersion("version of the tensor"));
  SY_RETURN_IF_ERROR(CheckDescription(spec));
  SY_ASSIGN_OR_RETURN(const int64_t size,
                      CheckedByteSize(spec.dtype, spec.shape));
  SY_RETURN_IF_ERROR(CheckLeft(static_cast<uint64_t>(size), "elements"));
  if (!lod.offsets.empty()) {
    if (spec.shape.rank() == 0) {
      return ArgumentError("lod", "absent from a scalar", "some");
    }
    SY_RETURN_IF_ERROR(Validate(lod, spec.shape.extent(0)));
  }
  SY_ASSIGN_OR_RETURN(
      DenseTensor tensor,
      DenseTensor::Allocate(spec.dtype, spec.shape, CpuAllocator()));
  char* const elements = tensor.mutable_data<char>();
  SY_RETURN_IF_ERROR(source_.Read(elements, static_cast<size_t>(size)));
  if (spec.dtype == DataType::kBool) {
    SY_RETURN_IF_ERROR(CheckBools({elements, static_cast<size_t>(size)}));
  }
  if (!lod.offsets.empty()) {
    tensor.SetLod(std::make_shared<const LoD>(std::move(lod)));
  }
  return tensor;
}

}  // namespace switchyard::static_graph

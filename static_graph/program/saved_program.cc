// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/saved_program.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/file.h"
#include "static_graph/dialect/op_upgrades.h"
#include "static_graph/executor/tensor_copy.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/byte_stream.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/program_encoding.h"
#include "static_graph/ir/verifier.h"
#include "static_graph/program/section_file.h"

namespace switchyard::static_graph {
namespace {

enum SectionKind : uint32_t {
  kText = 1,         // IR text, which files have that are written by hand.
  kOperators = 2,    // For each operator: name, version.
  kState = 3,        // For each tensor: name, dtype, rank, extents, bytes.
  kComputation = 4,  // As ir::EncodeProgram writes it.
  kKernels = 5,      // As EncodeLock writes them; many files have none.
  kRelaxed = 6,      // ToString(RelaxedChoices); none in an exact program's.
};

absl::Status Malformed(std::string_view what) {
  return absl::DataLossError(absl::StrCat("saved program: the section of ",
                                          std::string(what), " is malformed"));
}

std::string EncodeOperators(const ir::Program& program) {
  ir::ByteWriter writer;
  for (const auto& [name, version] : VersionsOf(program)) {
    writer.Counted(name);
    writer.U32(static_cast<uint32_t>(version));
  }
  return writer.bytes();
}

absl::StatusOr<OperatorVersions> DecodeOperators(std::string_view bytes) {
  OperatorVersions versions;
  ir::ByteReader reader(bytes);
  while (!reader.at_end()) {
    const std::string name(reader.Counted());
    const uint32_t version = reader.U32();
    if (!reader.ok() || version < 1 || version > INT32_MAX ||
        !versions.emplace(name, static_cast<int32_t>(version)).second) {
      return Malformed("operators");
    }
  }
  return versions;
}

absl::Status EncodeTensor(ir::Value declared, const State& state,
                          ir::ByteWriter* writer) {
  const std::string name(declared.argument_name());
  const DenseTensor* tensor = state.Find(name);
  const std::string argument = absl::StrCat("state ", name);
  if (tensor == nullptr) {
    return ArgumentError(argument, ir::ToString(declared.type()), "none");
  }
  if (tensor->dtype() != declared.tensor_type().dtype() ||
      !MayEqual(tensor->shape(), declared.tensor_type().shape())) {
    return ArgumentError(argument, ir::ToString(declared.type()),
                         ToString(*tensor));
  }
  writer->Counted(name);
  writer->Counted(Name(tensor->dtype()));
  writer->U32(static_cast<uint32_t>(tensor->rank()));
  for (Dim dim : tensor->shape().dims()) {
    writer->U64(static_cast<uint64_t>(dim.value()));
  }
  SY_ASSIGN_OR_RETURN(const DenseTensor host, OnHost(*tensor));
  const std::string_view elements(host.data<char>(), tensor->byte_size());
  writer->Counted(elements);
  return absl::OkStatus();
}

absl::StatusOr<std::string> EncodeState(const ir::Program& program,
                                        const State& state) {
  ir::ByteWriter writer;
  for (ir::Value argument : program.entry().arguments()) {
    if (argument.role() != ir::ArgumentRole::kState) continue;
    SY_RETURN_IF_ERROR(
        Annotate(EncodeTensor(argument, state, &writer), program.name()));
  }
  return writer.bytes();
}

absl::Status DecodeTensor(ir::ByteReader* reader, State* state) {
  const std::string_view name = reader->Counted();
  const std::optional<DataType> dtype = ParseDataType(reader->Counted());
  const uint32_t rank = reader->U32();
  if (!reader->ok() || !dtype.has_value() || rank > kMaxRank) {
    return Malformed("the state");
  }
  std::vector<int64_t> extents;
  for (uint32_t axis = 0; axis < rank; ++axis) {
    extents.push_back(static_cast<int64_t>(reader->U64()));
  }
  const std::string_view elements = reader->Counted();
  TensorMeta meta;
  meta.dtype = *dtype;
  SY_ASSIGN_OR_RETURN(meta.shape, Shape::Make(extents));
  SY_ASSIGN_OR_RETURN(const int64_t bytes,
                      CheckedByteSize(meta.dtype, meta.shape));
  if (!reader->ok() || elements.size() != static_cast<uint64_t>(bytes)) {
    return Malformed("the state");
  }
  // Any other byte is no bool.
  const bool bad_bool =
      meta.dtype == DataType::kBool &&
      std::any_of(elements.begin(), elements.end(),
                  [](char byte) { return byte != 0 && byte != 1; });
  if (bad_bool) return Malformed("the state");
  SY_ASSIGN_OR_RETURN(DenseTensor tensor, AllocateLike(meta));
  elements.copy(tensor.mutable_data<char>(), elements.size());
  return state->Set(std::string(name), tensor);
}

absl::StatusOr<State> DecodeState(std::string_view bytes) {
  State state;
  ir::ByteReader reader(bytes);
  while (!reader.at_end()) {
    SY_RETURN_IF_ERROR(DecodeTensor(&reader, &state));
  }
  return state;
}

absl::StatusOr<ir::Program> DecodeComputation(
    ir::Context* context, absl::Span<const Section> sections) {
  for (const Section& section : sections) {
    if (section.kind == kComputation) {
      return ir::DecodeProgram(context, section.bytes);
    }
    if (section.kind == kText) return ir::Parse(context, section.bytes);
  }
  return absl::DataLossError(
      "saved program: there is no section of the computation");
}

absl::StatusOr<std::string_view> Find(absl::Span<const Section> sections,
                                      SectionKind kind, std::string_view what) {
  for (const Section& section : sections) {
    if (section.kind == kind) return std::string_view(section.bytes);
  }
  return absl::DataLossError(absl::StrCat(
      "saved program: there is no section of ", std::string(what)));
}

}  // namespace

absl::StatusOr<std::string> SerializeProgram(const ir::Program& program,
                                             const State& state,
                                             const SaveOptions& options) {
  SY_RETURN_IF_ERROR(ir::Verify(program));
  SY_ASSIGN_OR_RETURN(std::string tensors, EncodeState(program, state));
  std::vector<Section> sections = {{kComputation, ir::EncodeProgram(program)},
                                   {kOperators, EncodeOperators(program)},
                                   {kState, std::move(tensors)}};
  if (options.lock != nullptr) {
    sections.push_back({kKernels, EncodeLock(*options.lock)});
  }
  if (options.relaxed != RelaxedChoices()) {
    sections.push_back({kRelaxed, ToString(options.relaxed)});
  }
  return EncodeSections(sections);
}

absl::StatusOr<SavedProgram> DeserializeProgram(ir::Context* context,
                                                std::string_view bytes) {
  SY_ASSIGN_OR_RETURN(const std::vector<Section> sections,
                      DecodeSections(bytes));
  SY_ASSIGN_OR_RETURN(const std::string_view operators,
                      Find(sections, kOperators, "operators"));
  SY_ASSIGN_OR_RETURN(const OperatorVersions versions,
                      DecodeOperators(operators));
  // Before the computation is read: an operator that is not known is an error
  // there too, and the version is the better explanation.
  SY_RETURN_IF_ERROR(CheckUpgrades(*context, versions));
  SY_ASSIGN_OR_RETURN(const std::string_view tensors,
                      Find(sections, kState, "the state"));
  SY_ASSIGN_OR_RETURN(ir::Program program,
                      DecodeComputation(context, sections));
  UpgradeOperators(versions, &program);
  SY_RETURN_IF_ERROR(ir::Verify(program));
  SY_ASSIGN_OR_RETURN(State state, DecodeState(tensors));
  SavedProgram saved{std::move(program), std::move(state), std::nullopt};
  const auto kernels = Find(sections, kKernels, "locked kernels");
  if (kernels.ok()) {
    SY_ASSIGN_OR_RETURN(saved.lock, DecodeLock(*kernels));
  }
  const auto relaxed = Find(sections, kRelaxed, "relaxed choices");
  if (relaxed.ok()) {
    const absl::Status known = ApplyChoices(*relaxed, &saved.relaxed);
    if (!known.ok()) {
      return absl::FailedPreconditionError(
          absl::StrCat("saved program: ", known.message()));
    }
  }
  return saved;
}

absl::Status SaveProgram(const std::string& path, const ir::Program& program,
                         const State& state, const SaveOptions& options) {
  SY_ASSIGN_OR_RETURN(const std::string bytes,
                      SerializeProgram(program, state, options));
  return WriteFile(path, bytes);
}

absl::StatusOr<SavedProgram> LoadProgram(ir::Context* context,
                                         const std::string& path) {
  SY_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  absl::StatusOr<SavedProgram> saved = DeserializeProgram(context, bytes);
  if (!saved.ok()) return Annotate(saved.status(), path);
  return saved;
}

}  // namespace switchyard::static_graph

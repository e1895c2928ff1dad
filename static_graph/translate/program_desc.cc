// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/program_desc.h"

#include <limits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "framework/tensor/tensor_array.h"
#include "phi/legacy/legacy_data_type.h"
#include "static_graph/translate/call_stacks.h"
#include "static_graph/translate/rewrite_operators.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;

// More levels than any program has; the IR keeps the number in a byte.
constexpr int kMaxLodLevels = 16;

// Versions are written as major * 10^6 + minor * 10^3 + patch. The operators'
// legacy forms are those of major versions to 3.
constexpr int64_t kEndOfVersions = 4'000'000;

// Large blocks of memory go back to the system as soon as they are freed.
constexpr size_t kFirstBlock = 4 << 10;
constexpr size_t kLargestBlock = 1 << 20;

google::protobuf::ArenaOptions InLargeBlocks() {
  google::protobuf::ArenaOptions options;
  options.start_block_size = kFirstBlock;
  options.max_block_size = kLargestBlock;
  return options;
}

absl::Status CheckVariables(const translate::BlockDesc& block) {
  PooledSet<std::string_view> names;
  names.reserve(static_cast<size_t>(block.vars_size()));
  for (const translate::VarDesc& variable : block.vars()) {
    if (variable.name().empty()) {
      return ArgumentError("variable", "named", "no name");
    }
    if (!names.insert(variable.name()).second) {
      return ArgumentError("variable", "described once",
                           absl::StrCat("'", variable.name(), "' twice"));
    }
    if (!variable.type().has_type()) {
      return ArgumentError(absl::StrCat("variable '", variable.name(), "'"),
                           "of some type", "none");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOperators(const translate::BlockDesc& block) {
  for (const OpDesc& op : block.ops()) {
    if (op.type().empty()) {
      return ArgumentError("operator", "of some type", "none");
    }
    for (const auto* slots : {&op.inputs(), &op.outputs()}) {
      for (const OpDesc::Var& slot : *slots) {
        if (slot.parameter().empty()) {
          return ArgumentError(absl::StrCat("slots of ", op.type()), "named",
                               "no name");
        }
      }
    }
    for (const OpDesc::Attr& attr : op.attrs()) {
      if (attr.name().empty() || !attr.has_type()) {
        return ArgumentError(absl::StrCat("attributes of ", op.type()),
                             "named and of some type",
                             absl::StrCat("'", attr.name(), "'"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

ParsedProgram::ParsedProgram()
    : arena_(std::make_unique<google::protobuf::Arena>(InLargeBlocks())),
      program_(google::protobuf::Arena::CreateMessage<translate::ProgramDesc>(
          arena_.get())) {}

absl::StatusOr<ParsedProgram> ParseProgramDesc(std::string_view bytes) {
  ParsedProgram parsed;
  translate::ProgramDesc& program = *parsed;
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !program.ParseFromString(WithoutCallStacks(bytes))) {
    return absl::InvalidArgumentError(
        absl::StrCat(bytes.size(), " bytes are not a program description"));
  }
  if (program.blocks().empty()) {
    return ArgumentError("program", "of at least one block", "none");
  }
  const int64_t version = program.version().version();
  if (version < 0 || version >= kEndOfVersions) {
    return ArgumentError("version of the program",
                         absl::StrCat("in [0, ", kEndOfVersions, ")"),
                         absl::StrCat(version));
  }
  for (int i = 0; i < program.blocks_size(); ++i) {
    const translate::BlockDesc& block = program.blocks(i);
    const bool parent = i == 0
                            ? block.parent_idx() == -1
                            : block.parent_idx() >= 0 && block.parent_idx() < i;
    if (block.idx() != i || !parent) {
      return ArgumentError(
          "blocks", "numbered in order, each after its parent",
          absl::StrCat("number ", block.idx(), " with the parent ",
                       block.parent_idx(), " at position ", i));
    }
    SY_RETURN_IF_ERROR(CheckVariables(block));
    SY_RETURN_IF_ERROR(CheckOperators(block));
  }
  RewriteOperators(&program);
  return parsed;
}

bool IsKind(const translate::VarDesc& variable, VariableKind kind) {
  return variable.type().type() == static_cast<int32_t>(kind);
}

absl::StatusOr<TensorSpec> SpecOfTensor(std::string_view subject,
                                        const translate::TensorDesc& desc) {
  const std::optional<DataType> dtype = phi::DataTypeOfLegacy(desc.data_type());
  if (!desc.has_data_type() || !dtype.has_value()) {
    return ArgumentError(subject, "of a known element type",
                         desc.has_data_type()
                             ? absl::StrCat("number ", desc.data_type())
                             : "none");
  }
  if (desc.dims_size() > kMaxRank) {
    return ArgumentError(subject, absl::StrCat("of rank up to ", kMaxRank),
                         absl::StrCat(desc.dims_size()));
  }
  TensorSpec spec;
  spec.dtype = *dtype;
  for (const int64_t extent : desc.dims()) {
    if (extent < -1) {
      return ArgumentError(subject, "of extents from -1 up",
                           absl::StrCat(extent));
    }
    spec.shape.push_back(extent == -1 ? Dim() : Dim(extent));
  }
  if (spec.shape.known()) {
    SY_RETURN_IF_ERROR(spec.shape.NumElements().status());
  }
  return spec;
}

absl::StatusOr<TensorSpec> SpecOfArray(const translate::VarDesc& variable) {
  const std::string subject = absl::StrCat("variable '", variable.name(), "'");
  SY_ASSIGN_OR_RETURN(
      TensorSpec spec,
      SpecOfTensor(subject, variable.type().tensor_array().tensor()));
  if (spec.shape.rank() >= kMaxRank) {
    return ArgumentError(
        subject, absl::StrCat("of elements of rank up to ", kMaxRank - 1),
        absl::StrCat(spec.shape.rank()));
  }
  spec.kind = TensorKind::kTensorArray;
  spec.shape = ArrayShape(Dim::Unknown(), spec.shape);
  return spec;
}

absl::StatusOr<TensorSpec> SpecOfVariable(const translate::VarDesc& variable) {
  if (IsKind(variable, VariableKind::kTensorArray)) {
    return SpecOfArray(variable);
  }
  const std::string subject = absl::StrCat("variable '", variable.name(), "'");
  if (!IsKind(variable, VariableKind::kDenseTensor) ||
      !variable.type().has_dense_tensor()) {
    return ArgumentError(subject, "a dense tensor or a tensor array",
                         absl::StrCat("type ", variable.type().type()));
  }
  const translate::DenseTensorDesc& dense = variable.type().dense_tensor();
  SY_ASSIGN_OR_RETURN(TensorSpec spec, SpecOfTensor(subject, dense.tensor()));
  if (dense.lod_level() < 0 || dense.lod_level() > kMaxLodLevels) {
    return ArgumentError(
        subject, absl::StrCat("of 0 to ", kMaxLodLevels, " levels of detail"),
        absl::StrCat(dense.lod_level()));
  }
  spec.lod_levels = dense.lod_level();
  return spec;
}

}  // namespace switchyard::static_graph

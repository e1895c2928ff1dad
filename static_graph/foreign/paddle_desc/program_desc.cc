// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_desc/program_desc.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "framework/tensor/tensor_array.h"
#include "framework/types/lod_levels.h"
#include "phi/legacy/forms/legacy_data_type.h"

namespace switchyard::static_graph {

VariableKind KindOf(const translate::VarDesc& variable) {
  switch (static_cast<WrittenKind>(variable.type().type())) {
    case WrittenKind::kDenseTensor:
      return VariableKind::kDenseTensor;
    case WrittenKind::kSelectedRows:
      return VariableKind::kSelectedRows;
    case WrittenKind::kRankTable:
      return VariableKind::kRankTable;
    case WrittenKind::kTensorArray:
      return VariableKind::kTensorArray;
  }
  return VariableKind::kOther;
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
  if (KindOf(variable) == VariableKind::kTensorArray) {
    return SpecOfArray(variable);
  }
  const std::string subject = absl::StrCat("variable '", variable.name(), "'");
  if (KindOf(variable) != VariableKind::kDenseTensor ||
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

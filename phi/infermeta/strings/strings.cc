// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/strings/strings.h"

#include "phi/infermeta/checks.h"

namespace switchyard::phi {
namespace {

absl::Status SetStrings(const Shape& shape, TensorSpec* out) {
  if (out == nullptr) return absl::OkStatus();
  SY_RETURN_IF_ERROR(SetOutput(out, DataType::kString, shape));
  out->kind = TensorKind::kStrings;
  return absl::OkStatus();
}

}  // namespace

absl::Status StringsEmptyInferMeta(absl::Span<const int64_t> shape,
                                   TensorSpec* out) {
  // A text takes memory as a number of 64 bits does, and more.
  SY_ASSIGN_OR_RETURN(const Shape whole,
                      ShapeFromAttribute(shape, DataType::kInt64));
  return SetStrings(whole, out);
}

absl::Status StringsCaseInferMeta(const TensorSpec& x, TensorSpec* out) {
  if (x.kind != TensorKind::kStrings) {
    return TypeError("x", Name(TensorKind::kStrings), Name(x.kind));
  }
  return SetStrings(x.shape, out);
}

}  // namespace switchyard::phi

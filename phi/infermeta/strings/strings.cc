// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/strings/strings.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "phi/infermeta/checks.h"

namespace switchyard::phi {
namespace {

absl::Status SetStrings(const Shape& shape, TensorSpec* out) {
  if (out == nullptr) return absl::OkStatus();
  SY_RETURN_IF_ERROR(SetOutput(out, DataType::kString, shape));
  out->kind = TensorKind::kStrings;
  return absl::OkStatus();
}

absl::Status CheckTexts(std::string_view argument, const TensorSpec& meta) {
  if (meta.kind == TensorKind::kStrings) return absl::OkStatus();
  return TypeError(argument, Name(TensorKind::kStrings), Name(meta.kind));
}

absl::Status CheckNumber(std::string_view argument, DataType dtype) {
  if (IsFloating(dtype) || IsInteger(dtype)) {
    return absl::OkStatus();
  }
  return TypeError(argument, "an integer or floating dtype", Name(dtype));
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
  SY_RETURN_IF_ERROR(CheckTexts("x", x));
  return SetStrings(x.shape, out);
}

absl::Status StringsFromNumberInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckNumber("x", x.dtype));
  return SetStrings(x.shape, out);
}

absl::Status StringsToNumberInferMeta(const TensorSpec& x, DataType dtype,
                                      TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckTexts("x", x));
  SY_RETURN_IF_ERROR(CheckNumber("dtype", dtype));
  return SetOutput(out, dtype, x.shape);
}

absl::Status StringsNormalizeInferMeta(const TensorSpec& x,
                                       std::string_view case_change,
                                       TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckTexts("x", x));
  const int rank = x.shape.rank();
  if (rank != 1 &&
      (rank != 2 || (x.shape[0].known() && x.shape[0].value() != 1))) {
    return ArgumentError("x", "of shape [n] or [1, n]", ToString(x.shape));
  }
  if (case_change != "NONE" && case_change != "LOWER" &&
      case_change != "UPPER") {
    return ArgumentError("case_change", "NONE, LOWER or UPPER",
                         absl::StrCat("'", std::string(case_change), "'"));
  }
  return SetStrings(
      rank == 1 ? Shape({Dim::Unknown()}) : Shape({Dim(1), Dim::Unknown()}),
      out);
}

absl::Status StringsConcatInferMeta(const TensorSpec& x, const TensorSpec& y,
                                    TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckTexts("x", x));
  SY_RETURN_IF_ERROR(CheckTexts("y", y));
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      BroadcastShapes("y", x.shape, y.shape));
  return SetStrings(shape, out);
}

absl::Status StringsTakeInferMeta(const TensorSpec& x,
                                  absl::Span<const std::string> texts,
                                  TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckIndexDtype("x", x));
  const absl::StatusOr<int64_t> count =
      x.shape.known() ? x.shape.NumElements() : absl::StatusOr<int64_t>(0);
  if (texts.empty() && (!count.ok() || *count > 0)) {
    return ArgumentError("texts", "one text at least", "none");
  }
  return SetStrings(x.shape, out);
}

absl::Status StringsFindInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckTexts("x", x));
  return SetOutput(out, DataType::kInt64, x.shape);
}

absl::Status StringsFullMatchInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckTexts("x", x));
  return SetOutput(out, DataType::kBool, x.shape);
}

absl::Status StringsSplitInferMeta(const TensorSpec& x, TensorSpec* out,
                                   TensorSpec* counts) {
  SY_RETURN_IF_ERROR(CheckTexts("x", x));
  if (x.shape.rank() == kMaxRank) {
    return ArgumentError("x",
                         absl::StrCat("of at most ", kMaxRank - 1, " axes"),
                         ToString(x.shape));
  }
  Shape pieces = x.shape;
  pieces.push_back(Dim::Unknown());
  SY_RETURN_IF_ERROR(SetStrings(pieces, out));
  return SetOutput(counts, DataType::kInt64, x.shape);
}

}  // namespace switchyard::phi

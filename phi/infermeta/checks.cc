// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/checks.h"

#include <string>

#include "framework/tensor/dense_tensor.h"

namespace switchyard::phi {

absl::Status SetOutput(TensorSpec* out, DataType dtype, const Shape& shape) {
  if (out == nullptr) return absl::OkStatus();
  if (shape.known()) {
    SY_RETURN_IF_ERROR(CheckedByteSize(dtype, shape).status());
  }
  out->dtype = dtype;
  out->shape = shape;
  return absl::OkStatus();
}

absl::Status CheckDtype(std::string_view argument, const TensorSpec& meta,
                        DataType expected) {
  if (meta.dtype == expected) return absl::OkStatus();
  return TypeError(argument, Name(expected), Name(meta.dtype));
}

absl::Status CheckHolds(std::string_view argument, const Scalar& value,
                        DataType dtype) {
  if (!value.is_complex() || IsComplex(dtype)) return absl::OkStatus();
  return TypeError(argument, "real for " + std::string(Name(dtype)),
                   ToString(value));
}

absl::Status CheckIndexDtype(std::string_view argument,
                             const TensorSpec& meta) {
  if (meta.dtype == DataType::kInt32 || meta.dtype == DataType::kInt64) {
    return absl::OkStatus();
  }
  return TypeError(argument, "int32 or int64", Name(meta.dtype));
}

absl::Status CheckShape(std::string_view argument, const TensorSpec& meta,
                        const Shape& expected) {
  if (MayEqual(meta.shape, expected)) return absl::OkStatus();
  return ArgumentError(argument, "of shape " + ToString(expected),
                       ToString(meta.shape));
}

absl::Status CheckDtypeAndShape(std::string_view argument,
                                const TensorSpec& meta, DataType dtype,
                                const Shape& shape) {
  SY_RETURN_IF_ERROR(CheckDtype(argument, meta, dtype));
  return CheckShape(argument, meta, shape);
}

absl::Status CheckLike(std::string_view argument, const TensorSpec& meta,
                       const TensorSpec& like) {
  return CheckDtypeAndShape(argument, meta, like.dtype, like.shape);
}

absl::Status CheckOutGrad(const TensorSpec& out_grad, const TensorSpec& out) {
  return CheckLike("out_grad", out_grad, out);
}

absl::Status CheckRank(std::string_view argument, const TensorSpec& meta,
                       int rank) {
  if (meta.shape.rank() == rank) return absl::OkStatus();
  return ArgumentError(argument, "of rank " + std::to_string(rank),
                       ToString(meta.shape));
}

absl::Status CheckRankAtLeast(std::string_view argument, const TensorSpec& meta,
                              int rank) {
  if (meta.shape.rank() >= rank) return absl::OkStatus();
  return ArgumentError(argument, "of rank " + std::to_string(rank) + " or more",
                       ToString(meta.shape));
}

absl::Status CheckOneElement(std::string_view argument,
                             const TensorSpec& meta) {
  for (const Dim dim : meta.shape.dims()) {
    if (!MayEqual(dim, Dim(1))) {
      return ArgumentError(argument, "of one element", ToString(meta.shape));
    }
  }
  return absl::OkStatus();
}

DataType StateDtype(DataType dtype) {
  return dtype == DataType::kFloat16 || dtype == DataType::kBFloat16
             ? DataType::kFloat32
             : dtype;
}

bool MayBroadcastTo(const Shape& from, const Shape& to) {
  const int lead = to.rank() - from.rank();
  if (lead < 0) return false;
  for (int i = 0; i < from.rank(); ++i) {
    if (from[i] != Dim(1) && !MayEqual(from[i], to[lead + i])) return false;
  }
  return true;
}

absl::StatusOr<Dim> Product(absl::Span<const Dim> dims) {
  Dim product = 1;
  // An extent of 0 decides, however large or unknown the others are.
  for (const Dim dim : dims) {
    if (dim == Dim(0)) return Dim(0);
  }
  for (const Dim dim : dims) {
    SY_ASSIGN_OR_RETURN(product, Multiply(product, dim));
  }
  return product;
}

Dim MoreKnown(Dim a, Dim b) {
  if (a.known()) return a;
  if (b.known()) return b;
  return a.symbolic() ? a : b;
}

Shape UnknownShape(int rank) {
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(Dim::Unknown());
  return shape;
}

absl::StatusOr<Shape> ShapeFromAttribute(AttrValues extents, DataType dtype) {
  std::vector<int64_t> known;  // With 1 for what is not known.
  for (size_t i = 0; i < extents.size(); ++i) {
    known.push_back(extents[i].known() ? extents[i].value() : 1);
  }
  SY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(known));
  SY_RETURN_IF_ERROR(CheckedByteSize(dtype, shape).status());
  for (int i = 0; i < shape.rank(); ++i) {
    if (!extents[i].known()) shape[i] = extents[i].dim();
  }
  return shape;
}

}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sparse/sparse.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {
namespace {

bool IsSparse(const TensorSpec& x) {
  return x.kind == TensorKind::kSparseCoo || x.kind == TensorKind::kSparseCsr;
}

absl::Status CheckSparse(const TensorSpec& x) {
  if (IsSparse(x)) return absl::OkStatus();
  return TypeError("x", "sparse_coo or sparse_csr", Name(x.kind));
}

absl::Status CheckKind(std::string_view argument, const TensorSpec& x,
                       TensorKind kind) {
  if (x.kind == kind) return absl::OkStatus();
  return TypeError(argument, Name(kind), Name(x.kind));
}

absl::Status CheckMatrix(std::string_view argument, const TensorSpec& x) {
  if (x.shape.rank() == 2) return absl::OkStatus();
  return ArgumentError(argument, "a matrix", ToString(x.shape));
}

absl::Status SetKind(TensorKind kind, DataType dtype, const Shape& shape,
                     TensorSpec* out) {
  SY_RETURN_IF_ERROR(SetOutput(out, dtype, shape));
  if (out != nullptr) out->kind = kind;
  return absl::OkStatus();
}

absl::StatusOr<Shape> ShapeOf(absl::Span<const int64_t> extents) {
  if (extents.empty() || extents.size() > static_cast<size_t>(kMaxRank)) {
    return ArgumentError("shape", absl::StrCat("of 1 to ", kMaxRank, " axes"),
                         absl::StrCat(extents.size()));
  }
  Shape shape;
  for (const int64_t extent : extents) {
    if (extent < 0) {
      return ArgumentError("shape", "of extents from 0 on",
                           absl::StrCat(extent));
    }
    shape.push_back(Dim(extent));
  }
  return shape;
}

// The shape of what `sparse_dim` axes of a tensor of `shape` hold.
Shape ValuesShape(const Shape& shape, int sparse_dim, Dim count) {
  Shape values({count});
  for (int axis = sparse_dim; axis < shape.rank(); ++axis) {
    values.push_back(shape[axis]);
  }
  return values;
}

absl::Status CheckGrad(const TensorSpec& grad, TensorKind kind,
                       const TensorSpec& out) {
  SY_RETURN_IF_ERROR(CheckKind("out_grad", grad, kind));
  return CheckOutGrad(grad, out);
}

}  // namespace

absl::Status SparseCooTensorInferMeta(const TensorSpec& values,
                                      const TensorSpec& indices,
                                      absl::Span<const int64_t> shape,
                                      TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape whole, ShapeOf(shape));
  SY_RETURN_IF_ERROR(CheckIndexDtype("indices", indices));
  SY_RETURN_IF_ERROR(CheckMatrix("indices", indices));
  const Dim axes = indices.shape[0];
  if (!axes.known() || axes.value() < 1 || axes.value() > whole.rank()) {
    return ArgumentError("indices",
                         absl::StrCat("of 1 to ", whole.rank(), " known rows"),
                         ToString(indices.shape));
  }
  SY_RETURN_IF_ERROR(CheckShape(
      "values", values,
      ValuesShape(whole, static_cast<int>(axes.value()), indices.shape[1])));
  return SetKind(TensorKind::kSparseCoo, values.dtype, whole, out);
}

absl::Status SparseCsrTensorInferMeta(const TensorSpec& values,
                                      const TensorSpec& crows,
                                      const TensorSpec& cols,
                                      absl::Span<const int64_t> shape,
                                      TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape whole, ShapeOf(shape));
  if (whole.rank() != 2) {
    return ArgumentError("shape", "of two axes", ToString(whole));
  }
  SY_RETURN_IF_ERROR(CheckIndexDtype("crows", crows));
  SY_RETURN_IF_ERROR(CheckIndexDtype("cols", cols));
  SY_ASSIGN_OR_RETURN(const Dim begins, Add(whole[0], Dim(1)));
  SY_RETURN_IF_ERROR(CheckShape("crows", crows, Shape({begins})));
  SY_RETURN_IF_ERROR(CheckShape("cols", cols, Shape({Dim::Unknown()})));
  SY_RETURN_IF_ERROR(CheckShape("values", values, cols.shape));
  return SetKind(TensorKind::kSparseCsr, values.dtype, whole, out);
}

absl::Status SparseTensorGradInferMeta(const TensorSpec& values,
                                       const TensorSpec& out_grad,
                                       TensorSpec* values_grad) {
  SY_RETURN_IF_ERROR(CheckDtype("out_grad", out_grad, values.dtype));
  return UnchangedInferMeta(values, values_grad);
}

absl::Status SparseValuesInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckSparse(x));
  if (x.kind == TensorKind::kSparseCoo && x.shape.rank() > 2) {
    return ArgumentError("x", "of at most two axes", ToString(x.shape));
  }
  return SetOutput(out, x.dtype, Shape({Dim::Unknown()}));
}

absl::Status SparseToDenseInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckSparse(x));
  return SetOutput(out, x.dtype, x.shape);
}

absl::Status ToSparseCooInferMeta(const TensorSpec& x, int sparse_dim,
                                  TensorSpec* out) {
  if (x.kind != TensorKind::kDense && x.kind != TensorKind::kSparseCsr) {
    return TypeError("x", "dense or sparse_csr", Name(x.kind));
  }
  const int rank = x.shape.rank();
  const int least = x.kind == TensorKind::kDense ? 1 : rank;
  if (sparse_dim < least || sparse_dim > rank) {
    return RangeError("sparse_dim",
                      absl::StrCat("in [", least, ", ", rank, "]"),
                      absl::StrCat(sparse_dim));
  }
  return SetKind(TensorKind::kSparseCoo, x.dtype, x.shape, out);
}

absl::Status ToSparseCsrInferMeta(const TensorSpec& x, TensorSpec* out) {
  if (x.kind != TensorKind::kDense && x.kind != TensorKind::kSparseCoo) {
    return TypeError("x", "dense or sparse_coo", Name(x.kind));
  }
  SY_RETURN_IF_ERROR(CheckMatrix("x", x));
  return SetKind(TensorKind::kSparseCsr, x.dtype, x.shape, out);
}

absl::Status CoalesceInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckKind("x", x, TensorKind::kSparseCoo));
  return UnchangedInferMeta(x, out);
}

absl::Status CoalesceGradInferMeta(const TensorSpec& x,
                                   const TensorSpec& out_grad,
                                   TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CoalesceInferMeta(x, x_grad));
  return CheckGrad(out_grad, TensorKind::kSparseCoo, x);
}

absl::Status SparseMatmulInferMeta(const TensorSpec& x, const TensorSpec& y,
                                   TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckSparse(x));
  SY_RETURN_IF_ERROR(CheckMatrix("x", x));
  SY_RETURN_IF_ERROR(CheckKind("y", y, TensorKind::kDense));
  SY_RETURN_IF_ERROR(CheckDtype("y", y, x.dtype));
  SY_RETURN_IF_ERROR(CheckShape("y", y, Shape({x.shape[1], Dim::Unknown()})));
  return SetOutput(out, x.dtype, Shape({x.shape[0], y.shape[1]}));
}

}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/linear_solve/linear_solve.h"

#include <string_view>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {
namespace {

// `shape` without its last `count` axes.
Shape Leading(const Shape& shape, int count) {
  return Shape(shape.dims().subspan(0, shape.rank() - count));
}

// The last two extents of x, which may be unknown.
absl::StatusOr<Dim> SquareExtent(const TensorSpec& x,
                                 std::string_view argument = "x") {
  SY_RETURN_IF_ERROR(CheckRankAtLeast(argument, x, 2));
  const Dim rows = x.shape[x.shape.rank() - 2];
  const Dim columns = x.shape[x.shape.rank() - 1];
  if (!MayEqual(rows, columns)) {
    return ArgumentError(argument, "a stack of square matrices",
                         ToString(x.shape));
  }
  return MoreKnown(rows, columns);
}

// Whether y is a stack of vectors for the matrices x.
bool AreVectors(const TensorSpec& x, const TensorSpec& y) {
  const int rank = y.shape.rank();
  if (rank == 1) return true;
  if (rank != x.shape.rank() - 1) return false;
  for (int axis = 0; axis < rank; ++axis) {
    if (!MayEqual(y.shape[axis], x.shape[axis])) return false;
  }
  return true;
}

// out of matrices, or of vectors where `vectors` says so.
absl::Status SetSolution(const TensorSpec& x, const TensorSpec& y, bool vectors,
                         TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckDtype("y", y, x.dtype));
  SY_ASSIGN_OR_RETURN(const Dim n, SquareExtent(x));
  const int own_axes = vectors ? 1 : 2;
  SY_RETURN_IF_ERROR(CheckRankAtLeast("y", y, own_axes));
  const Dim rows = y.shape[y.shape.rank() - own_axes];
  if (!MayEqual(n, rows)) {
    return ArgumentError("y", "of " + ToString(n) + " rows, as x",
                         ToString(y.shape));
  }
  SY_ASSIGN_OR_RETURN(Shape shape, BroadcastShapes("y", Leading(x.shape, 2),
                                                   Leading(y.shape, own_axes)));
  shape.push_back(MoreKnown(n, rows));
  if (!vectors) shape.push_back(y.shape[y.shape.rank() - 1]);
  return SetOutput(out, x.dtype, shape);
}

}  // namespace

absl::Status SquareMatrixInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(SquareExtent(x).status());
  return UnchangedInferMeta(x, out);
}

absl::Status DeterminantInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(SquareExtent(x).status());
  return SetOutput(out, x.dtype, Leading(x.shape, 2));
}

absl::Status SquareMatrixGradInferMeta(const TensorSpec& x,
                                       const TensorSpec& out_grad,
                                       TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(SameShapeInferMeta(x, out_grad, x_grad));
  return SquareExtent(out_grad, "out_grad").status();
}

absl::Status SlogdetInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(SquareExtent(x).status());
  Shape shape({Dim(2)});
  for (int i = 0; i < x.shape.rank() - 2; ++i) shape.push_back(x.shape[i]);
  return SetOutput(out, x.dtype, shape);
}

absl::Status SolveInferMeta(const TensorSpec& x, const TensorSpec& y,
                            TensorSpec* out) {
  return SetSolution(x, y, AreVectors(x, y), out);
}

absl::Status TriangularSolveInferMeta(const TensorSpec& x, const TensorSpec& y,
                                      TensorSpec* out) {
  return SetSolution(x, y, /*vectors=*/false, out);
}

}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/linalg/linalg.h"

#include <string>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {
namespace {

// One operand of a matmul as a stack of matrices.
struct Matrices {
  Shape batch;
  Dim rows;
  Dim columns;
};

Matrices AsMatrices(const Shape& shape, bool transpose, bool vector_is_row) {
  const int rank = shape.rank();
  if (rank == 1) {
    return vector_is_row ? Matrices{{}, 1, shape[0]}
                         : Matrices{{}, shape[0], 1};
  }
  Matrices m{Shape(shape.dims().subspan(0, rank - 2)), shape[rank - 2],
             shape[rank - 1]};
  if (transpose) std::swap(m.rows, m.columns);
  return m;
}

std::string MatricesText(const Shape& shape, bool transpose) {
  return ToString(shape) + (transpose && shape.rank() > 1 ? " transposed" : "");
}

absl::Status CheckNumColDims(const char* argument, int value,
                             const Shape& shape) {
  if (value > 0 && value < shape.rank()) return absl::OkStatus();
  return RangeError(argument, "in [1, " + std::to_string(shape.rank()) + ")",
                    std::to_string(value));
}

// The shape of the product of x and `y`, which is the argument `name`.
absl::StatusOr<Shape> ProductShape(const TensorSpec& x, const char* name,
                                   const TensorSpec& y, bool transpose_x,
                                   bool transpose_y) {
  SY_RETURN_IF_ERROR(CheckDtype(name, y, x.dtype));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 1));
  SY_RETURN_IF_ERROR(CheckRankAtLeast(name, y, 1));
  const Matrices a = AsMatrices(x.shape, transpose_x, /*vector_is_row=*/true);
  const Matrices b = AsMatrices(y.shape, transpose_y, /*vector_is_row=*/false);
  if (!MayEqual(a.columns, b.rows)) {
    return ArgumentError(name,
                         "of " + ToString(a.columns) +
                             " rows to match the columns of x " +
                             MatricesText(x.shape, transpose_x),
                         ToString(b.rows) + " rows in " + name + " " +
                             MatricesText(y.shape, transpose_y));
  }
  SY_ASSIGN_OR_RETURN(Shape shape, BroadcastShapes(name, a.batch, b.batch));
  if (x.shape.rank() > 1) shape.push_back(a.rows);
  if (y.shape.rank() > 1) shape.push_back(b.columns);
  return shape;
}

}  // namespace

absl::Status MatmulInferMeta(const TensorSpec& x, const TensorSpec& y,
                             bool transpose_x, bool transpose_y,
                             TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      ProductShape(x, "y", y, transpose_x, transpose_y));
  return SetOutput(out, x.dtype, shape);
}

absl::Status LinearInferMeta(const TensorSpec& x, const TensorSpec& weight,
                             const TensorSpec* bias, TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      ProductShape(x, "weight", weight, /*transpose_x=*/false,
                                   /*transpose_y=*/false));
  if (bias != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("bias", *bias, x.dtype));
    if (weight.shape.rank() == 1) {
      return ArgumentError("bias", "absent with a weight of one axis",
                           ToString(bias->shape));
    }
    const Dim columns = shape[shape.rank() - 1];
    SY_RETURN_IF_ERROR(CheckShape("bias", *bias, Shape({columns})));
  }
  return SetOutput(out, x.dtype, shape);
}

absl::Status MulInferMeta(const TensorSpec& x, const TensorSpec& y,
                          int x_num_col_dims, int y_num_col_dims,
                          TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckDtype("y", y, x.dtype));
  SY_RETURN_IF_ERROR(
      CheckNumColDims("x_num_col_dims", x_num_col_dims, x.shape));
  SY_RETURN_IF_ERROR(
      CheckNumColDims("y_num_col_dims", y_num_col_dims, y.shape));
  SY_ASSIGN_OR_RETURN(const Dim inner,
                      Product(x.shape.dims().subspan(x_num_col_dims)));
  SY_ASSIGN_OR_RETURN(const Dim y_rows,
                      Product(y.shape.dims().subspan(0, y_num_col_dims)));
  if (!MayEqual(inner, y_rows)) {
    return ArgumentError("y",
                         "of " + ToString(inner) +
                             " elements along its first y_num_col_dims axes",
                         ToString(y.shape));
  }
  const int y_axes = y.shape.rank() - y_num_col_dims;
  if (x_num_col_dims + y_axes > kMaxRank) {
    return ArgumentError(
        "x and y",
        "such that out has rank " + std::to_string(kMaxRank) + " at most",
        std::to_string(x_num_col_dims + y_axes));
  }
  Shape shape(x.shape.dims().subspan(0, x_num_col_dims));
  for (const Dim dim : y.shape.dims().subspan(y_num_col_dims)) {
    shape.push_back(dim);
  }
  return SetOutput(out, x.dtype, shape);
}

absl::Status BmmInferMeta(const TensorSpec& x, const TensorSpec& y,
                          TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckDtype("y", y, x.dtype));
  SY_RETURN_IF_ERROR(CheckRank("x", x, 3));
  Shape expected({x.shape[0], x.shape[2], Dim::Unknown()});
  if (y.shape.rank() == 3) expected[2] = y.shape[2];
  SY_RETURN_IF_ERROR(CheckShape("y", y, expected));
  return SetOutput(
      out, x.dtype,
      Shape({MoreKnown(x.shape[0], y.shape[0]), x.shape[1], y.shape[2]}));
}

absl::Status TraceInferMeta(const TensorSpec& x, int /*offset*/, int axis1,
                            int axis2, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 2));
  const int rank = x.shape.rank();
  SY_ASSIGN_OR_RETURN(const int rows, NormalizeAxis("axis1", axis1, rank));
  SY_ASSIGN_OR_RETURN(const int columns, NormalizeAxis("axis2", axis2, rank));
  if (rows == columns) {
    return ArgumentError("axis2", "another axis than axis1",
                         std::to_string(axis2));
  }
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    if (i != rows && i != columns) shape.push_back(x.shape[i]);
  }
  return SetOutput(out, x.dtype, shape);
}

}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/decomposition/decomposition.h"

#include <algorithm>

#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/linear_solve/linear_solve.h"

namespace switchyard::phi {
namespace {

struct Matrices {
  Shape batch;
  Dim rows;
  Dim columns;

  // [..., dims].
  Shape With(std::initializer_list<Dim> dims) const {
    Shape shape = batch;
    for (const Dim dim : dims) shape.push_back(dim);
    return shape;
  }
  // The smaller extent, unknown unless it is certain.
  Dim smaller() const {
    if (rows == columns) return rows;
    if (!rows.known() || !columns.known()) return Dim::Unknown();
    return std::min(rows.value(), columns.value());
  }
};

absl::StatusOr<Matrices> AsMatrices(const TensorSpec& x) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 2));
  const int rank = x.shape.rank();
  return Matrices{Shape(x.shape.dims().subspan(0, rank - 2)), x.shape[rank - 2],
                  x.shape[rank - 1]};
}

}  // namespace

absl::Status QrInferMeta(const TensorSpec& x, std::string_view mode,
                         TensorSpec* q, TensorSpec* r) {
  SY_ASSIGN_OR_RETURN(const Matrices a, AsMatrices(x));
  const bool complete = mode == "complete";
  if (!complete && mode != "reduced" && mode != "r") {
    return ArgumentError("mode", "reduced, complete or r", Quoted(mode));
  }
  const Dim inner = complete ? a.rows : a.smaller();
  const Shape q_shape = mode == "r" ? Shape({0}) : a.With({a.rows, inner});
  TensorSpec checked;
  SY_RETURN_IF_ERROR(SetOutput(&checked, x.dtype, q_shape));
  SY_RETURN_IF_ERROR(SetOutput(r, x.dtype, a.With({inner, a.columns})));
  return SetOutput(q, x.dtype, q_shape);
}

absl::Status GeqrfInferMeta(const TensorSpec& x, TensorSpec* a,
                            TensorSpec* tau) {
  SY_ASSIGN_OR_RETURN(const Matrices matrices, AsMatrices(x));
  SY_RETURN_IF_ERROR(
      SetOutput(tau, x.dtype, matrices.With({matrices.smaller()})));
  return UnchangedInferMeta(x, a);
}

absl::Status SvdInferMeta(const TensorSpec& x, bool full_matrices,
                          TensorSpec* u, TensorSpec* s, TensorSpec* vh) {
  SY_ASSIGN_OR_RETURN(const Matrices a, AsMatrices(x));
  const Dim k = a.smaller();
  TensorSpec left, right;
  SY_RETURN_IF_ERROR(
      SetOutput(&left, x.dtype, a.With({a.rows, full_matrices ? a.rows : k})));
  SY_RETURN_IF_ERROR(SetOutput(
      &right, x.dtype, a.With({full_matrices ? a.columns : k, a.columns})));
  SY_RETURN_IF_ERROR(SetOutput(s, RealOf(x.dtype), a.With({k})));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(left, u));
  return UnchangedInferMeta(right, vh);
}

absl::Status SvdGradInferMeta(const TensorSpec& u, const TensorSpec& s,
                              const TensorSpec& vh, const TensorSpec& u_grad,
                              const TensorSpec& s_grad,
                              const TensorSpec& vh_grad, TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("u", u, 2));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("vh", vh, 2));
  SY_RETURN_IF_ERROR(CheckLike("u_grad", u_grad, u));
  SY_RETURN_IF_ERROR(CheckLike("s_grad", s_grad, s));
  SY_RETURN_IF_ERROR(CheckLike("vh_grad", vh_grad, vh));
  Shape shape = u.shape;
  shape[shape.rank() - 1] = vh.shape[vh.shape.rank() - 1];
  return SetOutput(x_grad, u.dtype, shape);
}

absl::Status SvdvalsInferMeta(const TensorSpec& x, TensorSpec* s) {
  SY_ASSIGN_OR_RETURN(const Matrices a, AsMatrices(x));
  return SetOutput(s, RealOf(x.dtype), a.With({a.smaller()}));
}

absl::Status EighInferMeta(const TensorSpec& x, std::string_view uplo,
                           TensorSpec* out_w, TensorSpec* out_v) {
  SY_RETURN_IF_ERROR(EigvalshInferMeta(x, uplo, out_w));
  return UnchangedInferMeta(x, out_v);
}

absl::Status EighGradInferMeta(const TensorSpec& out_w, const TensorSpec& out_v,
                               const TensorSpec& out_w_grad,
                               const TensorSpec& out_v_grad,
                               TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CheckLike("out_w_grad", out_w_grad, out_w));
  SY_RETURN_IF_ERROR(CheckLike("out_v_grad", out_v_grad, out_v));
  return UnchangedInferMeta(out_v, x_grad);
}

absl::Status EigvalshInferMeta(const TensorSpec& x, std::string_view uplo,
                               TensorSpec* eigenvalues) {
  SY_RETURN_IF_ERROR(SquareMatrixInferMeta(x, nullptr));
  SY_ASSIGN_OR_RETURN(const Matrices a, AsMatrices(x));
  if (uplo != "L" && uplo != "U") {
    return ArgumentError("uplo", "L or U", Quoted(uplo));
  }
  return SetOutput(eigenvalues, RealOf(x.dtype),
                   a.With({MoreKnown(a.rows, a.columns)}));
}

absl::Status LuInferMeta(const TensorSpec& x, TensorSpec* out,
                         TensorSpec* pivots, TensorSpec* infos) {
  SY_ASSIGN_OR_RETURN(const Matrices a, AsMatrices(x));
  SY_RETURN_IF_ERROR(
      SetOutput(pivots, DataType::kInt32, a.With({a.smaller()})));
  SY_RETURN_IF_ERROR(SetOutput(infos, DataType::kInt32, a.batch));
  return UnchangedInferMeta(x, out);
}

absl::Status MatrixRankInferMeta(const TensorSpec& x,
                                 const TensorSpec* tol_tensor, bool hermitian,
                                 TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Matrices a, AsMatrices(x));
  if (hermitian) SY_RETURN_IF_ERROR(SquareMatrixInferMeta(x, nullptr));
  Shape shape = a.batch;
  if (tol_tensor != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("tol_tensor", *tol_tensor, x.dtype));
    SY_ASSIGN_OR_RETURN(
        shape, BroadcastShapes("tol_tensor", a.batch, tol_tensor->shape));
  }
  return SetOutput(out, DataType::kInt64, shape);
}

}  // namespace switchyard::phi

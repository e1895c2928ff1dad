// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sparse/sparse_math.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/data_movement/manipulation.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {
namespace {

absl::Status CheckSparse(std::string_view argument, const TensorSpec& x) {
  if (x.kind == TensorKind::kSparseCoo) return absl::OkStatus();
  if (x.kind != TensorKind::kSparseCsr) {
    return TypeError(argument, "sparse_coo or sparse_csr", Name(x.kind));
  }
  if (x.shape.rank() == 2) return absl::OkStatus();
  return ArgumentError(argument, "a matrix", ToString(x.shape));
}

// Checks that `grad` is a gradient of `out`, a sparse tensor.
absl::Status CheckSparseGrad(const TensorSpec& grad, const TensorSpec& out) {
  if (grad.kind != out.kind) {
    return TypeError("out_grad", Name(out.kind), Name(grad.kind));
  }
  return CheckOutGrad(grad, out);
}

bool IsOneElement(const Shape& shape) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!shape[axis].known() || shape[axis].value() != 1) return false;
  }
  return true;
}

// The shape of a sum of a COO tensor.
absl::StatusOr<Shape> CooSumShape(const Shape& x,
                                  absl::Span<const int64_t> axis,
                                  bool keepdim) {
  Shape shape;
  int dropped = -1;
  if (!axis.empty()) {
    SY_ASSIGN_OR_RETURN(dropped, NormalizeAxis("axis", axis[0], x.rank()));
  }
  for (int i = 0; i < x.rank(); ++i) {
    const bool summed = dropped == -1 || i == dropped;
    if (!summed) {
      shape.push_back(x[i]);
    } else if (keepdim) {
      shape.push_back(Dim(1));
    }
  }
  if (shape.rank() == 0) shape.push_back(Dim(1));
  return shape;
}

absl::StatusOr<Shape> CsrSumShape(const Shape& x,
                                  absl::Span<const int64_t> axis) {
  if (axis.empty()) return Shape({Dim(1), Dim(1)});
  if (axis[0] == 1 || axis[0] == -1) return Shape({x[0], Dim(1)});
  return RangeError("axis", "1 or -1 of a CSR matrix", absl::StrCat(axis[0]));
}

}  // namespace

absl::Status SparseMultiplyInferMeta(const TensorSpec& x, const TensorSpec& y,
                                     TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckSparse("x", x));
  if (y.kind != x.kind && y.kind != TensorKind::kDense) {
    return TypeError("y", std::string(Name(x.kind)) + " or dense",
                     Name(y.kind));
  }
  SY_RETURN_IF_ERROR(CheckDtype("y", y, x.dtype));
  if (y.kind != TensorKind::kDense || !IsOneElement(y.shape)) {
    SY_RETURN_IF_ERROR(CheckShape("y", y, x.shape));
  }
  return UnchangedInferMeta(x, out);
}

absl::Status SparseReluInferMeta(const TensorSpec& x, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckSparse("x", x));
  return UnchangedInferMeta(x, out);
}

absl::Status SparseReluGradInferMeta(const TensorSpec& out,
                                     const TensorSpec& out_grad,
                                     TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CheckSparse("out", out));
  SY_RETURN_IF_ERROR(CheckSparseGrad(out_grad, out));
  return UnchangedInferMeta(out, x_grad);
}

absl::Status SparseSumInferMeta(const TensorSpec& x,
                                absl::Span<const int64_t> axis, bool keepdim,
                                TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckSparse("x", x));
  if (axis.size() > 1) {
    return ArgumentError("axis", "one axis at most",
                         absl::StrCat(axis.size(), " axes"));
  }
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      x.kind == TensorKind::kSparseCoo
                          ? CooSumShape(x.shape, axis, keepdim)
                          : CsrSumShape(x.shape, axis));
  SY_RETURN_IF_ERROR(SetOutput(out, x.dtype, shape));
  if (out != nullptr) out->kind = x.kind;
  return absl::OkStatus();
}

absl::Status SparseTransposeInferMeta(const TensorSpec& x,
                                      absl::Span<const int> perm,
                                      TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckSparse("x", x));
  SY_RETURN_IF_ERROR(TransposeInferMeta(x, perm, out));
  if (out != nullptr) out->kind = x.kind;
  return absl::OkStatus();
}

}  // namespace switchyard::phi

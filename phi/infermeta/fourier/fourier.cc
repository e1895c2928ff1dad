// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/fourier/fourier.h"

#include <array>
#include <string>

#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/shapes/fourier.h"

namespace switchyard::phi {
namespace {

// ArgumentError if `extent`, what `argument` has along `axis`, is certainly
// nothing to transform, or too much.
absl::Status CheckLength(std::string_view argument, Dim extent, int64_t axis) {
  if (!extent.known()) return absl::OkStatus();
  if (extent.value() >= 1 && extent.value() <= kMaxFourierLength) {
    return absl::OkStatus();
  }
  return ArgumentError(argument,
                       "of 1 to " + std::to_string(kMaxFourierLength) +
                           " elements along axis " + std::to_string(axis),
                       ToString(extent));
}

absl::Status CheckTransform(std::string_view argument, const TensorSpec& x,
                            absl::Span<const int64_t> axes,
                            std::string_view normalization) {
  if (!IsFourierNormalization(normalization)) {
    return ArgumentError("normalization", "backward, ortho or forward",
                         Quoted(normalization));
  }
  std::array<bool, kMaxRank> seen = {};
  for (const int64_t a : axes) {
    SY_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis("axes", a, x.shape.rank()));
    if (seen[axis]) {
      return ArgumentError("axes", "without repetitions",
                           std::to_string(a) + " a second time");
    }
    seen[axis] = true;
    SY_RETURN_IF_ERROR(CheckLength(argument, x.shape[axis], a));
  }
  return absl::OkStatus();
}

// CheckTransform, and returns the last axis, which must be there.
absl::StatusOr<int> CheckHalvedTransform(std::string_view argument,
                                         const TensorSpec& x,
                                         absl::Span<const int64_t> axes,
                                         std::string_view normalization) {
  SY_RETURN_IF_ERROR(CheckTransform(argument, x, axes, normalization));
  if (axes.empty()) return ArgumentError("axes", "one axis or more", "none");
  return NormalizeAxis("axes", axes.back(), x.shape.rank());
}

absl::Status CheckComplex(const TensorSpec& x) {
  if (IsComplex(x.dtype)) return absl::OkStatus();
  return TypeError("x", "complex64 or complex128", Name(x.dtype));
}

absl::Status CheckReal(std::string_view argument, const TensorSpec& x) {
  if (x.dtype == DataType::kFloat32 || x.dtype == DataType::kFloat64) {
    return absl::OkStatus();
  }
  return TypeError(argument, "float32 or float64", Name(x.dtype));
}

absl::Status CheckLastDimSize(int64_t last_dim_size) {
  if (last_dim_size >= 0 && last_dim_size <= kMaxFourierLength) {
    return absl::OkStatus();
  }
  return ArgumentError("last_dim_size",
                       "in [0, " + std::to_string(kMaxFourierLength) + "]",
                       std::to_string(last_dim_size));
}

Dim Onesided(Dim n) {
  return n.known() ? Dim(OnesidedFrequencies(n.value())) : Dim::Unknown();
}

}  // namespace

absl::Status FftC2cInferMeta(const TensorSpec& x,
                             absl::Span<const int64_t> axes,
                             std::string_view normalization, bool /*forward*/,
                             TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckComplex(x));
  SY_RETURN_IF_ERROR(CheckTransform("x", x, axes, normalization));
  return SetOutput(out, x.dtype, x.shape);
}

absl::Status FftR2cInferMeta(const TensorSpec& x,
                             absl::Span<const int64_t> axes,
                             std::string_view normalization, bool /*forward*/,
                             bool onesided, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckReal("x", x));
  SY_ASSIGN_OR_RETURN(const int last,
                      CheckHalvedTransform("x", x, axes, normalization));
  Shape shape = x.shape;
  if (onesided) shape[last] = Onesided(shape[last]);
  return SetOutput(out, ComplexOf(x.dtype), shape);
}

absl::Status FftC2rInferMeta(const TensorSpec& x,
                             absl::Span<const int64_t> axes,
                             std::string_view normalization, bool /*forward*/,
                             int64_t last_dim_size, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckComplex(x));
  SY_ASSIGN_OR_RETURN(const int last,
                      CheckHalvedTransform("x", x, axes, normalization));
  SY_RETURN_IF_ERROR(CheckLastDimSize(last_dim_size));
  const Dim given = x.shape[last];
  Dim n = last_dim_size;
  if (last_dim_size == 0) {
    n = given.known() ? Dim(2 * (given.value() - 1)) : Dim::Unknown();
    if (n == Dim(0)) {
      return ArgumentError("last_dim_size", "given for one frequency", "0");
    }
  } else if (!MayEqual(given, Onesided(n))) {
    return ArgumentError("x",
                         "of last_dim_size / 2 + 1 = " + ToString(Onesided(n)) +
                             " elements along axis " +
                             std::to_string(axes.back()),
                         ToString(given));
  }
  Shape shape = x.shape;
  shape[last] = n;
  return SetOutput(out, RealOf(x.dtype), shape);
}

absl::Status FftC2rGradInferMeta(const TensorSpec& out_grad,
                                 absl::Span<const int64_t> axes,
                                 std::string_view normalization,
                                 bool /*forward*/, int64_t last_dim_size,
                                 TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CheckReal("out_grad", out_grad));
  SY_ASSIGN_OR_RETURN(
      const int last,
      CheckHalvedTransform("out_grad", out_grad, axes, normalization));
  SY_RETURN_IF_ERROR(CheckLastDimSize(last_dim_size));
  const Dim n = out_grad.shape[last];
  if (last_dim_size != 0 && !MayEqual(n, last_dim_size)) {
    return ArgumentError("out_grad",
                         "of last_dim_size = " + std::to_string(last_dim_size) +
                             " elements along axis " +
                             std::to_string(axes.back()),
                         ToString(n));
  }
  if (last_dim_size == 0 && n.known() && n.value() % 2 != 0) {
    return ArgumentError("last_dim_size", "given for an odd extent", "0");
  }
  Shape shape = out_grad.shape;
  shape[last] = Onesided(n);
  return SetOutput(x_grad, ComplexOf(out_grad.dtype), shape);
}

}  // namespace switchyard::phi

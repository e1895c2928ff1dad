// SPDX-License-Identifier: Apache-2.0
// Fused operators on bytes (uint8, int8), as PaddlePaddle's programs for oneDNN
// have them: a byte stands for a number times a scale, weights are rounded to
// bytes by scales of their own, and what is computed of both in float32 becomes
// bytes again.
#ifndef SWITCHYARD_PHI_COMPOSITE_FUSED_BYTES_H_
#define SWITCHYARD_PHI_COMPOSITE_FUSED_BYTES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/assign_value.gen.h"
#include "phi/composite/calls/cast.gen.h"
#include "phi/composite/calls/clip.gen.h"
#include "phi/composite/calls/divide.gen.h"
#include "phi/composite/calls/multiply.gen.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/shifted_quantisation.h"

namespace switchyard::phi::composite::fused_bytes {

inline bool AreBytes(DataType dtype) {
  return dtype == DataType::kUInt8 || dtype == DataType::kInt8;
}

inline bool AreBytes(Ops& ops, const Value& v) {
  return AreBytes(ops.dtype(v));
}

// `scales` as a tensor that broadcasts along `axis` of `weights`: one number,
// or one for each of its slices.
inline Value ScalesAlong(Ops& ops, const Value& weights, int axis,
                         absl::Span<const float> scales) {
  const Shape shape = ops.shape(weights);
  const auto count = static_cast<int64_t>(scales.size());
  if (count != 1 && !MayEqual(shape[axis], Dim(count))) {
    ops.Fail(ArgumentError(
        "scale_weights", "a list of one number or of " + ToString(shape[axis]),
        "a list of " + std::to_string(count)));
  }
  std::vector<Scalar> values;
  for (const float scale : scales) {
    shifted_quantisation::CheckScale(ops, "scale_weights", scale);
    values.push_back(Scalar(double{scale}));
  }
  std::vector<int64_t> extents(shape.rank(), 1);
  extents[axis] = count;
  return op::assign_value(ops, extents, DataType::kFloat32, values);
}

// The numbers that bytes stand for, (x - shift) / scale; those of other dtypes
// stand for themselves.
inline Value Numbers(Ops& ops, const Value& x, std::string_view argument,
                     double scale, double shift = 0) {
  if (!AreBytes(ops, x)) return x;
  shifted_quantisation::CheckScale(ops, argument, scale);
  Value wide = op::cast(ops, x, DataType::kFloat32);
  if (shift != 0) wide = Linear(ops, wide, 1, -shift);
  return Times(ops, wide, 1 / scale);
}

// Weights as they are once they were bytes.
inline Value WeightsOfBytes(Ops& ops, const Value& weights, int axis,
                            absl::Span<const float> scales) {
  const Value along = ScalesAlong(ops, weights, axis, scales);
  const Value held = op::clip(ops, op::multiply(ops, weights, along),
                              Scalar(-128.0), Scalar(127.0));
  return op::divide(ops, quantisation::RoundedToEven(ops, held), along);
}

// v times `scale` in bytes of `dtype`.
inline Value Bytes(Ops& ops, const Value& v, double scale, DataType dtype,
                   double shift = 0) {
  shifted_quantisation::CheckScale(ops, "scale_out", scale);
  return shifted_quantisation::ToBytes(ops, Linear(ops, v, scale, shift),
                                       dtype);
}

// Whether nothing is below 0 of what this activation function yields.
inline bool IsUnsigned(std::string_view activation) {
  return activation == "relu" || activation == "relu6";
}

// The result `v` of a convolution of bytes in bytes: of the dtype of
// `residual`, if that is defined, else signed unless the activation function
// has nothing below 0. Such a one makes them unsigned in the end.
inline Value ConvolvedBytes(Ops& ops, const Value& v, const Value& residual,
                            std::string_view activation, float scale_out) {
  const bool is_unsigned = IsUnsigned(activation);
  const DataType own = is_unsigned ? DataType::kUInt8 : DataType::kInt8;
  const DataType dtype = ops.defined(residual) ? ops.dtype(residual) : own;
  if (!AreBytes(dtype)) return op::cast(ops, v, dtype);
  const Value bytes = Bytes(ops, v, scale_out, dtype);
  return is_unsigned ? op::cast(ops, bytes, DataType::kUInt8) : bytes;
}

}  // namespace switchyard::phi::composite::fused_bytes

#endif  // SWITCHYARD_PHI_COMPOSITE_FUSED_BYTES_H_

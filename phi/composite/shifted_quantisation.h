// SPDX-License-Identifier: Apache-2.0
// Quantisation by a scale and a shift that are attributes, made of operators,
// as old programs for oneDNN have it.
#ifndef SWITCHYARD_PHI_COMPOSITE_SHIFTED_QUANTISATION_H_
#define SWITCHYARD_PHI_COMPOSITE_SHIFTED_QUANTISATION_H_

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "phi/composite/calls/of_shifted_quantisation.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/quantisation.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace shifted_quantisation {

inline void CheckScale(Ops& ops, std::string_view argument, double scale) {
  if (scale != 0) return;
  ops.Fail(ArgumentError(argument, "other than 0", "0"));
}

// v rounded to the nearest integer of `dtype`, int8 or uint8.
inline Value ToBytes(Ops& ops, const Value& v, DataType dtype) {
  const bool is_signed = dtype == DataType::kInt8;
  const Value held = op::clip(ops, v, Scalar(is_signed ? -128.0 : 0.0),
                              Scalar(is_signed ? 127.0 : 255.0));
  return op::cast(ops, quantisation::RoundedToEven(ops, held), dtype);
}

inline void CheckBytes(Ops& ops, const Value& x) {
  const DataType dtype = ops.dtype(x);
  if (dtype == DataType::kInt8 || dtype == DataType::kUInt8) return;
  ops.Fail(TypeError("x", "int8 or uint8", Name(dtype)));
}

}  // namespace shifted_quantisation

// x * scale + shift in bytes.
inline void Quantize(Ops& ops, const Value& x, double scale, double shift,
                     bool is_negative_input, bool bfloat16, Value* out) {
  if (out == nullptr) return;
  shifted_quantisation::CheckScale(ops, "scale", scale);
  if (!IsFloating(ops.dtype(x))) {
    return ops.Fail(TypeError("x", "floating", Name(ops.dtype(x))));
  }
  if (bfloat16) {
    *out = op::cast(ops, x, DataType::kBFloat16);
    return;
  }
  const bool is_signed = is_negative_input && shift == 0;
  const Value steps =
      Linear(ops, op::cast(ops, x, DataType::kFloat32), scale, shift);
  *out = shifted_quantisation::ToBytes(
      ops, steps, is_signed ? DataType::kInt8 : DataType::kUInt8);
}

// Undoes Quantize: returns the numbers that its bytes stand for.
inline void Dequantize(Ops& ops, const Value& x, double scale, double shift,
                       Value* out) {
  if (out == nullptr) return;
  shifted_quantisation::CheckScale(ops, "scale", scale);
  Value wide = op::cast(ops, x, DataType::kFloat32);
  if (shift != 0) wide = Linear(ops, wide, 1, -shift);
  *out = Times(ops, wide, 1 / scale);
}

// Bytes by another scale and shift.
inline void Requantize(Ops& ops, const Value& x, double scale_in,
                       double scale_out, double shift_in, double shift_out,
                       Value* out) {
  if (out == nullptr) return;
  shifted_quantisation::CheckScale(ops, "scale_in", scale_in);
  shifted_quantisation::CheckScale(ops, "scale_out", scale_out);
  shifted_quantisation::CheckBytes(ops, x);
  const double factor = scale_out / scale_in;
  // PaddlePaddle hands oneDNN the shift as a byte.
  const double shift =
      std::clamp(std::round(shift_out - factor * shift_in), 0.0, 255.0);
  const Value wide = op::cast(ops, x, DataType::kFloat32);
  *out = shifted_quantisation::ToBytes(ops, Linear(ops, wide, factor, shift),
                                       ops.dtype(x));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SHIFTED_QUANTISATION_H_

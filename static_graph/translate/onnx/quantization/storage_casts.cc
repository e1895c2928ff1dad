// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/quantization/storage_casts.h"

#include <limits>

#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// The greatest number of a float of 8 bits that has a sign; 0 for others.
double GreatestOf(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat8E4M3FN:
      return 448;
    case DataType::kFloat8E4M3FNUZ:
      return 240;
    case DataType::kFloat8E5M2:
    case DataType::kFloat8E5M2FNUZ:
      return 57344;
    default:
      return 0;
  }
}

Expression Clipped(const Expression& x, double least, double greatest) {
  return x.Of("clip", {{"min", Scalar(least)}, {"max", Scalar(greatest)}});
}

// x in a dtype that is computed with: float32 unless it is floating.
Expression Floating(OnnxCall& call, ir::Value x) {
  const Expression given(call, x);
  return IsFloating(given.dtype()) ? given : given.As(DataType::kFloat32);
}

// To float4_e2m1fn, whose greatest number stands for NaN, too.
ir::Value ToFourBits(OnnxCall& call, const Expression& given) {
  constexpr double kGreatest = 6;
  const DataType from = given.dtype();
  if (!IsFloating(from) && !IsStorage(from)) {
    return given.As(DataType::kFloat4E2M1FN);
  }
  const Expression x = Floating(call, given);
  return x.Of("isnan")
      .Where(x.Number(kGreatest), x)
      .As(DataType::kFloat4E2M1FN);
}

// To float8_e8m0fnu, whose numbers are the powers of 2 from 2^-127 to 2^127.
// Ours rounds to the nearest one: where that is on the wrong side of x, the
// next one is meant.
ir::Value ToPower(OnnxCall& call, const Expression& given) {
  constexpr double kLeast = 0x1p-127;
  constexpr double kGreatest = 0x1p127;
  const std::string mode = call.Text("round_mode", "up");
  if (mode != "up" && mode != "down" && mode != "nearest") {
    call.Refuse("round_mode must be up, down or nearest");
    return ir::Value();
  }
  Expression x = given.As(DataType::kFloat64);
  if (call.Flag("saturate", true)) {
    x = Clipped(x, kLeast, kGreatest);
  } else {
    x = (x < kLeast)
            .Where(x.Number(std::numeric_limits<double>::quiet_NaN()), x);
    if (mode == "down") {
      x = (x < 2 * kGreatest).Where(x.With("minimum", kGreatest), x);
    }
  }
  const Expression near = x.As(DataType::kFloat8E8M0FNU).As(DataType::kFloat64);
  Expression power = near;
  if (mode == "up") power = (near < x).Where(near * 2.0, near);
  if (mode == "down") power = (near > x).Where(near * 0.5, near);
  return power.As(DataType::kFloat8E8M0FNU);
}

}  // namespace

ir::Value CastAsNodeSays(OnnxCall& call, ir::Value x, DataType to) {
  if (!call.ok()) return x;
  const DataType from = DtypeOf(x);
  // The infinities of a float of 8 bits saturate in its own dtype, too.
  if (from == to && to != DataType::kFloat8E5M2) return x;
  if (to == DataType::kFloat8E8M0FNU) return ToPower(call, {call, x});
  if (to == DataType::kFloat4E2M1FN) return ToFourBits(call, {call, x});
  const double greatest = GreatestOf(to);
  if (greatest == 0 || !call.Flag("saturate", true)) return Cast(call, x, to);
  // Halves hold the bounds, float32 what is within them of other dtypes.
  return Clipped(Floating(call, x), -greatest, greatest).As(to);
}

}  // namespace switchyard::static_graph

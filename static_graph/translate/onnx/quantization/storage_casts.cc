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
  if (!call.ok() || DtypeOf(x) == to) return x;
  if (to == DataType::kFloat8E8M0FNU) return ToPower(call, {call, x});
  const double greatest = GreatestOf(to);
  if (greatest == 0 || !call.Flag("saturate", true)) return Cast(call, x, to);
  // Halves hold the bounds, float32 what is within them of other dtypes.
  Expression wide(call, x);
  if (!IsFloating(DtypeOf(x))) wide = wide.As(DataType::kFloat32);
  return Clipped(wide, -greatest, greatest).As(to);
}

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/wide_integers.h"

#include <limits>

#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// The sign turned over: the lower half of uint64 comes before the upper.
ir::Value WithTurnedSign(OnnxCall& call, ir::Value x) {
  const double sign = std::numeric_limits<int64_t>::min();
  return call.Call("bitwise_xor", {x, Number(call, sign, DataType::kInt64)});
}

}  // namespace

ir::Value WithBitsOf(OnnxCall& call, ir::Value x) {
  if (!call.ok()) return ir::Value();
  const DataType dtype = DtypeOf(x);
  if (dtype == DataType::kInt64) return x;
  if (dtype == DataType::kUInt32 || dtype == DataType::kUInt64) {
    return Cast(call, x, DataType::kInt64);
  }
  const bool narrow = IsInteger(dtype) || dtype == DataType::kBool;
  return narrow ? Cast(call, x, DataType::kInt32) : x;
}

ir::Value InOrderOf(OnnxCall& call, ir::Value x) {
  const ir::Value wide = WithBitsOf(call, x);
  if (!call.ok() || DtypeOf(x) != DataType::kUInt64) return wide;
  return WithTurnedSign(call, wide);
}

ir::Value OutOfOrder(OnnxCall& call, ir::Value y, DataType dtype) {
  if (dtype == DataType::kUInt64) y = WithTurnedSign(call, y);
  return Cast(call, y, dtype);
}

}  // namespace switchyard::static_graph

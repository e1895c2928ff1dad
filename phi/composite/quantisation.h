// SPDX-License-Identifier: Apache-2.0
// Simulated quantisation, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_QUANTISATION_H_
#define SWITCHYARD_PHI_COMPOSITE_QUANTISATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_quantisation.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace quantisation {

// The largest integer of `bits` bits, one of which is the sign.
inline double LargestInteger(Ops& ops, const char* argument, int bits) {
  if (bits < 2 || bits > 31) {
    ops.Fail(ArgumentError(argument, "from 2 to 31", std::to_string(bits)));
  }
  return static_cast<double>((int64_t{1} << (bits - 1)) - 1);
}

// v with halves rounded to the even neighbour.
inline Value RoundedToEven(Ops& ops, const Value& v) {
  const Value rest = op::abs(ops, op::subtract(ops, v, op::trunc(ops, v)));
  const Value half = FullLike(ops, rest, 0.5);
  const Value even = Times(ops, op::round(ops, Times(ops, v, 0.5), 0), 2.0);
  return op::where(ops, op::equal(ops, rest, half), even, op::round(ops, v, 0));
}

// Rounds x to a number of steps of scale / largest. A scale of almost 0 is
// raised, so that the steps are finite.
inline Value Quantized(Ops& ops, const Value& x, const Value& scale,
                       double largest, int round_type) {
  if (round_type != 0 && round_type != 1) {
    ops.Fail(ArgumentError("round_type", "0 or 1", std::to_string(round_type)));
  }
  constexpr double kTiny = 1e-6;
  const Value tiny = FullLike(ops, scale, kTiny);
  const Value held = Linear(ops, scale, 1, kTiny);
  const Value inverse =
      op::where(ops, op::less_equal(ops, scale, tiny),
                op::reciprocal(ops, held), op::reciprocal(ops, scale));
  const Value factor = Times(ops, inverse, largest);
  if (round_type == 0) {
    const Value steps = RoundedToEven(ops, op::multiply(ops, x, factor));
    return op::clip(ops, steps, Scalar(-largest - 1.0), Scalar(largest));
  }
  const Value within =
      op::maximum(ops, op::minimum(ops, x, scale), Times(ops, scale, -1.0));
  return op::round(ops, op::multiply(ops, within, factor), 0);
}

// The numbers that such numbers of steps stand for.
inline Value Dequantized(Ops& ops, const Value& steps, const Value& scale,
                         double largest) {
  return op::multiply(ops, steps, Times(ops, scale, 1.0 / largest));
}

// v without its gradient. Rounding to more places than a dtype has leaves a
// number as it is, and has a gradient of 0.
inline Value Detached(Ops& ops, const Value& v) {
  constexpr int kMorePlaces = 400;
  return op::round(ops, v, kMorePlaces);
}

// The scale, a list, along axis `axis` of a tensor of `rank`; -1: as a scalar.
inline Value AlongAxis(Ops& ops, const Value& scale, int rank, int axis) {
  std::vector<int64_t> extents;
  for (int i = 0; i < rank; ++i) extents.push_back(i == axis ? -1 : 1);
  return op::reshape(ops, scale, extents);
}

// The results of the operators whose scale is the largest magnitude of x, or of
// each slice along `axis`.
inline void ByAbsMax(Ops& ops, const Value& x, int bit_length, int round_type,
                     int axis, bool dequantize, Value* out, Value* out_scale) {
  const double largest = LargestInteger(ops, "bit_length", bit_length);
  const int rank = ops.shape(x).rank();
  std::vector<int64_t> reduced;
  for (int i = 0; i < rank; ++i) {
    if (i != axis) reduced.push_back(i);
  }
  Value scale = op::abs(ops, x);
  if (!reduced.empty()) scale = op::max(ops, scale, reduced, true);
  scale = Detached(ops, scale);
  if (out != nullptr) {
    *out = dequantize
               ? op::quantize_dequantize(ops, x, scale, bit_length, round_type)
               : Quantized(ops, x, scale, largest, round_type);
  }
  if (out_scale != nullptr) *out_scale = op::reshape(ops, scale, {int64_t{-1}});
}

inline void ByAbsMaxOfChannels(Ops& ops, const Value& x, int bit_length,
                               int round_type, int quant_axis, bool dequantize,
                               Value* out, Value* out_scale) {
  const auto axis =
      NormalizeAxis("quant_axis", quant_axis, ops.shape(x).rank());
  if (!axis.ok()) return ops.Fail(axis.status());
  ByAbsMax(ops, x, bit_length, round_type, *axis, dequantize, out, out_scale);
}

// The results of the operators that keep a mean of scales: accum / state, sums
// in which older calls count less.
inline void ByMovingAverage(Ops& ops, const Value& x, const Value& in_scale,
                            const Value& in_accum, const Value& in_state,
                            float moving_rate, int bit_length, bool is_test,
                            int round_type, bool dequantize, Value* out,
                            Value* out_scale, Value* out_state,
                            Value* out_accum) {
  const double largest = LargestInteger(ops, "bit_length", bit_length);
  const bool averages = ops.defined(in_accum) && ops.defined(in_state);
  Value scale = in_scale;
  if (!is_test) {
    if (!averages) {
      return ops.Fail(ArgumentError("in_accum and in_state",
                                    "given where the mean is taken", "none"));
    }
    const Value found = op::reshape(
        ops, op::max(ops, op::abs(ops, x), {}, false), {int64_t{1}});
    const Value state = Linear(ops, in_state, moving_rate, 1);
    const Value accum = op::add(ops, Times(ops, in_accum, moving_rate), found);
    scale = op::divide(ops, accum, state);
    if (out_state != nullptr) *out_state = state;
    if (out_accum != nullptr) *out_accum = accum;
  } else if (averages) {
    if (out_state != nullptr) *out_state = op::assign(ops, in_state);
    if (out_accum != nullptr) *out_accum = op::assign(ops, in_accum);
  }
  if (out_scale != nullptr)
    *out_scale = is_test ? op::assign(ops, scale) : scale;
  if (out == nullptr) return;
  const Value one =
      Detached(ops, AlongAxis(ops, scale, ops.shape(x).rank(), -1));
  *out = dequantize
             ? op::quantize_dequantize(ops, x, one, bit_length, round_type)
             : Quantized(ops, x, one, largest, round_type);
}

// The largest magnitude of the calls in the window, kept up to date: it grows
// with a larger one, and is looked for again when the one that had it leaves.
inline Value ScaleOfWindow(Ops& ops, const Value& x, const Value& in_scale,
                           const Value& iter, const Value& in_scales,
                           int window_size, Value* out_scales) {
  if (!ops.defined(iter)) {
    ops.Fail(ArgumentError("iter", "given unless is_test", "none"));
  }
  if (window_size < 1) {
    ops.Fail(
        ArgumentError("window_size", "1 or more", std::to_string(window_size)));
  }
  constexpr double kNear = 1e-6;
  const std::vector<int64_t> one = {1};
  const Value before = ops.defined(in_scales)
                           ? in_scales
                           : op::full(ops, std::vector<int64_t>{window_size},
                                      Scalar(0.0), ops.dtype(x));
  const Value found =
      op::reshape(ops, op::max(ops, op::abs(ops, x), {}, false), one);
  const Value number = op::reshape(ops, iter, one);
  const Value count = op::full_like(ops, number, Scalar(int64_t{window_size}),
                                    DataType::kUndefined);
  const Value place = op::remainder(ops, number, count);
  const Value leaves = op::gather(ops, before, place, 0);
  const Value scales = op::scatter(ops, before, place, found, true);
  if (out_scales != nullptr) *out_scales = scales;
  // Places that no call has filled don't count.
  const Value places = op::cumsum(
      ops, op::full_like(ops, scales, Scalar(int64_t{1}), ops.dtype(iter)), 0,
      false, true, false);
  const Value zeros = FullLike(ops, scales, 0);
  const Value filled = op::where(ops, op::less_than(ops, places, number),
                                 op::abs(ops, scales), zeros);
  const Value again = op::reshape(ops, op::max(ops, filled, {}, false), one);
  const Value old = op::reshape(ops, in_scale, one);
  const Value distance = op::abs(ops, op::subtract(ops, leaves, old));
  const Value near =
      op::less_than(ops, distance, FullLike(ops, distance, kNear));
  const Value scale = op::where(ops, op::less_than(ops, old, found), found,
                                op::where(ops, near, again, old));
  return ReshapeLike(ops, scale, in_scale, "in_scale");
}

}  // namespace quantisation

// x in steps of its largest magnitude.
inline void FakeQuantizeAbsMax(Ops& ops, const Value& x, int bit_length,
                               int round_type, Value* out, Value* out_scale) {
  quantisation::ByAbsMax(ops, x, bit_length, round_type, -1, false, out,
                         out_scale);
}

// Rounds as the operator before, and multiplies by the size of a step again.
inline void FakeQuantizeDequantizeAbsMax(Ops& ops, const Value& x,
                                         int bit_length, int round_type,
                                         Value* out, Value* out_scale) {
  quantisation::ByAbsMax(ops, x, bit_length, round_type, -1, true, out,
                         out_scale);
}

// x in steps of the largest magnitude of its slice.
inline void FakeChannelWiseQuantizeAbsMax(Ops& ops, const Value& x,
                                          int bit_length, int round_type,
                                          int quant_axis, Value* out,
                                          Value* out_scale) {
  quantisation::ByAbsMaxOfChannels(ops, x, bit_length, round_type, quant_axis,
                                   false, out, out_scale);
}

// Rounds as the operator before, and multiplies by the size of a step again.
inline void FakeChannelWiseQuantizeDequantizeAbsMax(Ops& ops, const Value& x,
                                                    int bit_length,
                                                    int round_type,
                                                    int quant_axis, Value* out,
                                                    Value* out_scale) {
  quantisation::ByAbsMaxOfChannels(ops, x, bit_length, round_type, quant_axis,
                                   true, out, out_scale);
}

// x in steps of a mean of largest magnitudes, over calls.
inline void FakeQuantizeMovingAverageAbsMax(
    Ops& ops, const Value& x, const Value& in_scale, const Value& in_accum,
    const Value& in_state, float moving_rate, int bit_length, bool is_test,
    int round_type, Value* out, Value* out_scale, Value* out_state,
    Value* out_accum) {
  quantisation::ByMovingAverage(ops, x, in_scale, in_accum, in_state,
                                moving_rate, bit_length, is_test, round_type,
                                false, out, out_scale, out_state, out_accum);
}

// Rounds as the operator before, and multiplies by the size of a step again.
inline void FakeQuantizeDequantizeMovingAverageAbsMax(
    Ops& ops, const Value& x, const Value& in_scale, const Value& in_accum,
    const Value& in_state, float moving_rate, int bit_length, bool is_test,
    int round_type, Value* out, Value* out_scale, Value* out_state,
    Value* out_accum) {
  quantisation::ByMovingAverage(ops, x, in_scale, in_accum, in_state,
                                moving_rate, bit_length, is_test, round_type,
                                true, out, out_scale, out_state, out_accum);
}

// Keeps a mean of largest magnitudes, and returns x as it is.
inline void MovingAverageAbsMaxScale(Ops& ops, const Value& x,
                                     const Value& in_accum,
                                     const Value& in_state,
                                     const Value& in_scale, float moving_rate,
                                     bool is_test, Value* out, Value* out_scale,
                                     Value* out_state, Value* out_accum) {
  if (out != nullptr) *out = op::assign(ops, x);
  const bool averages = ops.defined(in_accum) && ops.defined(in_state);
  if (averages && is_test) {
    if (out_state != nullptr) *out_state = op::assign(ops, in_state);
    if (out_accum != nullptr) *out_accum = op::assign(ops, in_accum);
  }
  if (is_test && ops.defined(in_scale)) {
    if (out_scale != nullptr) *out_scale = op::assign(ops, in_scale);
    return;
  }
  const Value found =
      op::reshape(ops, op::max(ops, op::abs(ops, x), {}, false), {int64_t{1}});
  if (is_test || !averages) {
    if (out_scale != nullptr) *out_scale = found;
    return;
  }
  const Value state = Linear(ops, in_state, moving_rate, 1);
  const Value accum = op::add(ops, Times(ops, in_accum, moving_rate), found);
  if (out_scale != nullptr) *out_scale = op::divide(ops, accum, state);
  if (out_state != nullptr) *out_state = state;
  if (out_accum != nullptr) *out_accum = accum;
}

// x in steps of the largest magnitude of the calls in a window.
inline void FakeQuantizeRangeAbsMax(Ops& ops, const Value& x,
                                    const Value& in_scale, const Value& iter,
                                    const Value& in_scales, int window_size,
                                    int bit_length, bool is_test,
                                    int round_type, Value* out,
                                    Value* out_scale, Value* out_scales) {
  const double largest =
      quantisation::LargestInteger(ops, "bit_length", bit_length);
  Value scale = in_scale;
  if (!is_test) {
    scale = quantisation::ScaleOfWindow(ops, x, in_scale, iter, in_scales,
                                        window_size, out_scales);
  } else if (out_scales != nullptr && ops.defined(in_scales)) {
    *out_scales = op::assign(ops, in_scales);
  }
  if (out != nullptr) {
    const Value one =
        quantisation::AlongAxis(ops, scale, ops.shape(x).rank(), -1);
    *out = quantisation::Quantized(ops, x, one, largest, round_type);
  }
  if (out_scale != nullptr)
    *out_scale = is_test ? op::assign(ops, scale) : scale;
}

// x * scale / max_range.
inline void FakeDequantizeMaxAbs(Ops& ops, const Value& x, const Value& scale,
                                 float max_range, Value* out) {
  if (out == nullptr) return;
  const Value one =
      quantisation::AlongAxis(ops, scale, ops.shape(x).rank(), -1);
  *out = quantisation::Dequantized(ops, x, one, max_range);
}

// Returns integers times scale / max_range.
inline void DequantizeAbsMax(Ops& ops, const Value& x, const Value& scale,
                             float max_range, Value* out) {
  if (out == nullptr) return;
  FakeDequantizeMaxAbs(ops, op::cast(ops, x, DataType::kFloat32), scale,
                       max_range, out);
}

// x times the scales of its slices.
inline void FakeChannelWiseDequantizeMaxAbs(Ops& ops, const Value& x,
                                            const List& scales,
                                            absl::Span<const int> quant_bits,
                                            int quant_axis, int x_num_col_dims,
                                            Value* out) {
  if (out == nullptr) return;
  if (scales.size() < 1 || scales.size() > 2) {
    return ops.Fail(ArgumentError("scales", "one tensor or two",
                                  std::to_string(scales.size())));
  }
  if (quant_bits.size() < scales.size()) {
    return ops.Fail(ArgumentError("quant_bits", "one number for each of scales",
                                  std::to_string(quant_bits.size())));
  }
  const bool two = scales.size() == 2;
  const int rank = ops.shape(x).rank();
  const auto axis = two ? NormalizeAxis("x_num_col_dims", x_num_col_dims, rank)
                        : NormalizeAxis("quant_axis", quant_axis, rank);
  if (!axis.ok()) return ops.Fail(axis.status());
  Value value = x;
  for (size_t i = 0; i < scales.size(); ++i) {
    const double largest =
        quantisation::LargestInteger(ops, "quant_bits", quant_bits[i]);
    const Value scale =
        quantisation::AlongAxis(ops, scales[i], rank, i == 0 ? *axis : -1);
    value = quantisation::Dequantized(ops, value, scale, largest);
  }
  *out = value;
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_QUANTISATION_H_

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
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

// Parts of the composites below, not operators' composites themselves.
namespace quantisation {

// The largest integer of `bits` bits, one of which is the sign.
template <typename Ops>
double LargestInteger(Ops& ops, const char* argument, int bits) {
  if (bits < 2 || bits > 31) {
    ops.Fail(ArgumentError(argument, "from 2 to 31", std::to_string(bits)));
  }
  return static_cast<double>((int64_t{1} << (bits - 1)) - 1);
}

// v with halves rounded to the even neighbour.
template <typename Ops, typename V>
V RoundedToEven(Ops& ops, const V& v) {
  const V rest = ops.abs(ops.subtract(v, ops.trunc(v)));
  const V half = FullLike(ops, rest, 0.5);
  const V even = Times(ops, ops.round(Times(ops, v, 0.5), 0), 2.0);
  return ops.where(ops.equal(rest, half), even, ops.round(v, 0));
}

// Rounds x to a number of steps of scale / largest. A scale of almost 0 is
// raised, so that the steps are finite.
template <typename Ops, typename V>
V Quantized(Ops& ops, const V& x, const V& scale, double largest,
            int round_type) {
  if (round_type != 0 && round_type != 1) {
    ops.Fail(ArgumentError("round_type", "0 or 1", std::to_string(round_type)));
  }
  constexpr double kTiny = 1e-6;
  const V tiny = FullLike(ops, scale, kTiny);
  const V held = Linear(ops, scale, 1, kTiny);
  const V inverse = ops.where(ops.less_equal(scale, tiny), ops.reciprocal(held),
                              ops.reciprocal(scale));
  const V factor = Times(ops, inverse, largest);
  if (round_type == 0) {
    const V steps = RoundedToEven(ops, ops.multiply(x, factor));
    return ops.clip(steps, Scalar(-largest - 1.0), Scalar(largest));
  }
  const V within = ops.maximum(ops.minimum(x, scale), Times(ops, scale, -1.0));
  return ops.round(ops.multiply(within, factor), 0);
}

// The numbers that such numbers of steps stand for.
template <typename Ops, typename V>
V Dequantized(Ops& ops, const V& steps, const V& scale, double largest) {
  return ops.multiply(steps, Times(ops, scale, 1.0 / largest));
}

// v without its gradient. Rounding to more places than a dtype has leaves a
// number as it is, and has a gradient of 0.
template <typename Ops, typename V>
V Detached(Ops& ops, const V& v) {
  constexpr int kMorePlaces = 400;
  return ops.round(v, kMorePlaces);
}

// The scale, a list, along axis `axis` of a tensor of `rank`; -1: as a scalar.
template <typename Ops, typename V>
V AlongAxis(Ops& ops, const V& scale, int rank, int axis) {
  std::vector<int64_t> extents;
  for (int i = 0; i < rank; ++i) extents.push_back(i == axis ? -1 : 1);
  return ops.reshape(scale, extents);
}

// The results of the operators whose scale is the largest magnitude of x, or of
// each slice along `axis`.
template <typename Ops, typename V>
void ByAbsMax(Ops& ops, const V& x, int bit_length, int round_type, int axis,
              bool dequantize, V* out, V* out_scale) {
  const double largest = LargestInteger(ops, "bit_length", bit_length);
  const int rank = ops.shape(x).rank();
  std::vector<int64_t> reduced;
  for (int i = 0; i < rank; ++i) {
    if (i != axis) reduced.push_back(i);
  }
  V scale = ops.abs(x);
  if (!reduced.empty()) scale = ops.max(scale, reduced, true);
  scale = Detached(ops, scale);
  if (out != nullptr) {
    *out = dequantize
               ? ops.quantize_dequantize(x, scale, bit_length, round_type)
               : Quantized(ops, x, scale, largest, round_type);
  }
  if (out_scale != nullptr) *out_scale = ops.reshape(scale, {int64_t{-1}});
}

template <typename Ops, typename V>
void ByAbsMaxOfChannels(Ops& ops, const V& x, int bit_length, int round_type,
                        int quant_axis, bool dequantize, V* out, V* out_scale) {
  const auto axis =
      NormalizeAxis("quant_axis", quant_axis, ops.shape(x).rank());
  if (!axis.ok()) return ops.Fail(axis.status());
  ByAbsMax(ops, x, bit_length, round_type, *axis, dequantize, out, out_scale);
}

// The results of the operators that keep a mean of scales: accum / state, sums
// in which older calls count less.
template <typename Ops, typename V>
void ByMovingAverage(Ops& ops, const V& x, const V& in_scale, const V& in_accum,
                     const V& in_state, float moving_rate, int bit_length,
                     bool is_test, int round_type, bool dequantize, V* out,
                     V* out_scale, V* out_state, V* out_accum) {
  const double largest = LargestInteger(ops, "bit_length", bit_length);
  const bool averages = ops.defined(in_accum) && ops.defined(in_state);
  V scale = in_scale;
  if (!is_test) {
    if (!averages) {
      return ops.Fail(ArgumentError("in_accum and in_state",
                                    "given where the mean is taken", "none"));
    }
    const V found = ops.reshape(ops.max(ops.abs(x), {}, false), {int64_t{1}});
    const V state = Linear(ops, in_state, moving_rate, 1);
    const V accum = ops.add(Times(ops, in_accum, moving_rate), found);
    scale = ops.divide(accum, state);
    if (out_state != nullptr) *out_state = state;
    if (out_accum != nullptr) *out_accum = accum;
  } else if (averages) {
    if (out_state != nullptr) *out_state = ops.assign(in_state);
    if (out_accum != nullptr) *out_accum = ops.assign(in_accum);
  }
  if (out_scale != nullptr) *out_scale = is_test ? ops.assign(scale) : scale;
  if (out == nullptr) return;
  const V one = Detached(ops, AlongAxis(ops, scale, ops.shape(x).rank(), -1));
  *out = dequantize ? ops.quantize_dequantize(x, one, bit_length, round_type)
                    : Quantized(ops, x, one, largest, round_type);
}

// The largest magnitude of the calls in the window, kept up to date: it grows
// with a larger one, and is looked for again when the one that had it leaves.
template <typename Ops, typename V>
V ScaleOfWindow(Ops& ops, const V& x, const V& in_scale, const V& iter,
                const V& in_scales, int window_size, V* out_scales) {
  if (!ops.defined(iter)) {
    ops.Fail(ArgumentError("iter", "given unless is_test", "none"));
  }
  if (window_size < 1) {
    ops.Fail(
        ArgumentError("window_size", "1 or more", std::to_string(window_size)));
  }
  constexpr double kNear = 1e-6;
  const std::vector<int64_t> one = {1};
  const V before = ops.defined(in_scales)
                       ? in_scales
                       : ops.full(std::vector<int64_t>{window_size},
                                  Scalar(0.0), ops.dtype(x));
  const V found = ops.reshape(ops.max(ops.abs(x), {}, false), one);
  const V number = ops.reshape(iter, one);
  const V count =
      ops.full_like(number, Scalar(int64_t{window_size}), DataType::kUndefined);
  const V place = ops.remainder(number, count);
  const V leaves = ops.gather(before, place, 0);
  const V scales = ops.scatter(before, place, found, true);
  if (out_scales != nullptr) *out_scales = scales;
  // Places that no call has filled don't count.
  const V places =
      ops.cumsum(ops.full_like(scales, Scalar(int64_t{1}), ops.dtype(iter)), 0,
                 false, true, false);
  const V zeros = FullLike(ops, scales, 0);
  const V filled =
      ops.where(ops.less_than(places, number), ops.abs(scales), zeros);
  const V again = ops.reshape(ops.max(filled, {}, false), one);
  const V old = ops.reshape(in_scale, one);
  const V distance = ops.abs(ops.subtract(leaves, old));
  const V near = ops.less_than(distance, FullLike(ops, distance, kNear));
  const V scale =
      ops.where(ops.less_than(old, found), found, ops.where(near, again, old));
  return ReshapeLike(ops, scale, in_scale, "in_scale");
}

}  // namespace quantisation

// x in steps of its largest magnitude.
template <typename Ops, typename V = typename Ops::Value>
void FakeQuantizeAbsMax(Ops& ops, const V& x, int bit_length, int round_type,
                        V* out, V* out_scale) {
  quantisation::ByAbsMax(ops, x, bit_length, round_type, -1, false, out,
                         out_scale);
}

// Rounds as the operator before, and multiplies by the size of a step again.
template <typename Ops, typename V = typename Ops::Value>
void FakeQuantizeDequantizeAbsMax(Ops& ops, const V& x, int bit_length,
                                  int round_type, V* out, V* out_scale) {
  quantisation::ByAbsMax(ops, x, bit_length, round_type, -1, true, out,
                         out_scale);
}

// x in steps of the largest magnitude of its slice.
template <typename Ops, typename V = typename Ops::Value>
void FakeChannelWiseQuantizeAbsMax(Ops& ops, const V& x, int bit_length,
                                   int round_type, int quant_axis, V* out,
                                   V* out_scale) {
  quantisation::ByAbsMaxOfChannels(ops, x, bit_length, round_type, quant_axis,
                                   false, out, out_scale);
}

// Rounds as the operator before, and multiplies by the size of a step again.
template <typename Ops, typename V = typename Ops::Value>
void FakeChannelWiseQuantizeDequantizeAbsMax(Ops& ops, const V& x,
                                             int bit_length, int round_type,
                                             int quant_axis, V* out,
                                             V* out_scale) {
  quantisation::ByAbsMaxOfChannels(ops, x, bit_length, round_type, quant_axis,
                                   true, out, out_scale);
}

// x in steps of a mean of largest magnitudes, over calls.
template <typename Ops, typename V = typename Ops::Value>
void FakeQuantizeMovingAverageAbsMax(Ops& ops, const V& x, const V& in_scale,
                                     const V& in_accum, const V& in_state,
                                     float moving_rate, int bit_length,
                                     bool is_test, int round_type, V* out,
                                     V* out_scale, V* out_state, V* out_accum) {
  quantisation::ByMovingAverage(ops, x, in_scale, in_accum, in_state,
                                moving_rate, bit_length, is_test, round_type,
                                false, out, out_scale, out_state, out_accum);
}

// Rounds as the operator before, and multiplies by the size of a step again.
template <typename Ops, typename V = typename Ops::Value>
void FakeQuantizeDequantizeMovingAverageAbsMax(
    Ops& ops, const V& x, const V& in_scale, const V& in_accum,
    const V& in_state, float moving_rate, int bit_length, bool is_test,
    int round_type, V* out, V* out_scale, V* out_state, V* out_accum) {
  quantisation::ByMovingAverage(ops, x, in_scale, in_accum, in_state,
                                moving_rate, bit_length, is_test, round_type,
                                true, out, out_scale, out_state, out_accum);
}

// Keeps a mean of largest magnitudes, and returns x as it is.
template <typename Ops, typename V = typename Ops::Value>
void MovingAverageAbsMaxScale(Ops& ops, const V& x, const V& in_accum,
                              const V& in_state, const V& in_scale,
                              float moving_rate, bool is_test, V* out,
                              V* out_scale, V* out_state, V* out_accum) {
  if (out != nullptr) *out = ops.assign(x);
  const bool averages = ops.defined(in_accum) && ops.defined(in_state);
  if (averages && is_test) {
    if (out_state != nullptr) *out_state = ops.assign(in_state);
    if (out_accum != nullptr) *out_accum = ops.assign(in_accum);
  }
  if (is_test && ops.defined(in_scale)) {
    if (out_scale != nullptr) *out_scale = ops.assign(in_scale);
    return;
  }
  const V found = ops.reshape(ops.max(ops.abs(x), {}, false), {int64_t{1}});
  if (is_test || !averages) {
    if (out_scale != nullptr) *out_scale = found;
    return;
  }
  const V state = Linear(ops, in_state, moving_rate, 1);
  const V accum = ops.add(Times(ops, in_accum, moving_rate), found);
  if (out_scale != nullptr) *out_scale = ops.divide(accum, state);
  if (out_state != nullptr) *out_state = state;
  if (out_accum != nullptr) *out_accum = accum;
}

// x in steps of the largest magnitude of the calls in a window.
template <typename Ops, typename V = typename Ops::Value>
void FakeQuantizeRangeAbsMax(Ops& ops, const V& x, const V& in_scale,
                             const V& iter, const V& in_scales, int window_size,
                             int bit_length, bool is_test, int round_type,
                             V* out, V* out_scale, V* out_scales) {
  const double largest =
      quantisation::LargestInteger(ops, "bit_length", bit_length);
  V scale = in_scale;
  if (!is_test) {
    scale = quantisation::ScaleOfWindow(ops, x, in_scale, iter, in_scales,
                                        window_size, out_scales);
  } else if (out_scales != nullptr && ops.defined(in_scales)) {
    *out_scales = ops.assign(in_scales);
  }
  if (out != nullptr) {
    const V one = quantisation::AlongAxis(ops, scale, ops.shape(x).rank(), -1);
    *out = quantisation::Quantized(ops, x, one, largest, round_type);
  }
  if (out_scale != nullptr) *out_scale = is_test ? ops.assign(scale) : scale;
}

// x * scale / max_range.
template <typename Ops, typename V = typename Ops::Value>
void FakeDequantizeMaxAbs(Ops& ops, const V& x, const V& scale, float max_range,
                          V* out) {
  if (out == nullptr) return;
  const V one = quantisation::AlongAxis(ops, scale, ops.shape(x).rank(), -1);
  *out = quantisation::Dequantized(ops, x, one, max_range);
}

// Returns integers times scale / max_range.
template <typename Ops, typename V = typename Ops::Value>
void DequantizeAbsMax(Ops& ops, const V& x, const V& scale, float max_range,
                      V* out) {
  if (out == nullptr) return;
  FakeDequantizeMaxAbs(ops, ops.cast(x, DataType::kFloat32), scale, max_range,
                       out);
}

// x times the scales of its slices.
template <typename Ops, typename V = typename Ops::Value>
void FakeChannelWiseDequantizeMaxAbs(Ops& ops, const V& x,
                                     const typename Ops::List& scales,
                                     absl::Span<const int> quant_bits,
                                     int quant_axis, int x_num_col_dims,
                                     V* out) {
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
  V value = x;
  for (size_t i = 0; i < scales.size(); ++i) {
    const double largest =
        quantisation::LargestInteger(ops, "quant_bits", quant_bits[i]);
    const V scale =
        quantisation::AlongAxis(ops, scales[i], rank, i == 0 ? *axis : -1);
    value = quantisation::Dequantized(ops, value, scale, largest);
  }
  *out = value;
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_QUANTISATION_H_

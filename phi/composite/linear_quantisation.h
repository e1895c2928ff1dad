// SPDX-License-Identifier: Apache-2.0
// Quantisation by scales of slices, made of operators, on the parts of
// quantisation.h.
#ifndef SWITCHYARD_PHI_COMPOSITE_LINEAR_QUANTISATION_H_
#define SWITCHYARD_PHI_COMPOSITE_LINEAR_QUANTISATION_H_

#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_linear_quantisation.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/quantisation.h"

namespace switchyard::phi::composite {

// The scale of quantize_linear by training: the largest magnitude of each slice
// along `axis`, or of all of x the mean that counts older calls less.
inline Value LinearScale(Ops& ops, const Value& x, const Value& in_accum,
                         const Value& in_state, int axis, Value* out_accum,
                         Value* out_state) {
  std::vector<int64_t> reduced;
  for (int i = 0; i < ops.shape(x).rank(); ++i) {
    if (i != axis) reduced.push_back(i);
  }
  Value found = op::abs(ops, x);
  if (!reduced.empty()) found = op::max(ops, found, reduced, true);
  found = quantisation::Detached(ops, op::reshape(ops, found, {int64_t{-1}}));
  if (axis >= 0) return found;
  if (!ops.defined(in_accum) || !ops.defined(in_state)) {
    ops.Fail(ArgumentError("in_accum and in_state",
                           "given where the mean is taken", "none"));
  }
  constexpr double kMovingRate = 0.9;
  const Value state = Linear(ops, in_state, kMovingRate, 1);
  const Value accum = op::add(ops, Times(ops, in_accum, kMovingRate), found);
  if (out_state != nullptr) *out_state = state;
  if (out_accum != nullptr) *out_accum = accum;
  return op::divide(ops, accum, state);
}

// x in steps of a scale, which is given or found.
inline void QuantizeLinear(Ops& ops, const Value& x, const Value& scale,
                           const Value& zero_point, const Value& in_accum,
                           const Value& in_state, int quant_axis,
                           int bit_length, int qmin, int qmax, int round_type,
                           bool is_test, bool only_observer, Value* out,
                           Value* out_scale, Value* out_accum,
                           Value* out_state) {
  (void)zero_point, (void)qmin, (void)qmax;
  const int rank = ops.shape(x).rank();
  const double largest =
      quantisation::LargestInteger(ops, "bit_length", bit_length);
  int axis = -1;
  if (quant_axis >= 0) {
    const auto normal = NormalizeAxis("quant_axis", quant_axis, rank);
    if (!normal.ok()) return ops.Fail(normal.status());
    axis = *normal;
  }
  Value used = scale;
  if (!is_test) {
    used = LinearScale(ops, x, in_accum, in_state, axis, out_accum, out_state);
    if (out_scale != nullptr) *out_scale = used;
  }
  if (out == nullptr) return;
  *out = only_observer
             ? op::assign(ops, x)
             : quantisation::Quantized(
                   ops, x, quantisation::AlongAxis(ops, used, rank, axis),
                   largest, round_type);
}

// Multiplies numbers of steps of a scale by the size of a step.
inline void DequantizeLinear(Ops& ops, const Value& x, const Value& scale,
                             const Value& zero_point, int quant_axis,
                             int bit_length, int qmin, int qmax, int round_type,
                             bool is_test, bool only_observer, Value* out) {
  (void)zero_point, (void)qmin, (void)qmax, (void)round_type, (void)is_test;
  if (out == nullptr) return;
  const int rank = ops.shape(x).rank();
  const double largest =
      quantisation::LargestInteger(ops, "bit_length", bit_length);
  int axis = -1;
  if (quant_axis >= 0) {
    const auto normal = NormalizeAxis("quant_axis", quant_axis, rank);
    if (!normal.ok()) return ops.Fail(normal.status());
    axis = *normal;
  }
  const Value steps = op::cast(ops, x, ops.dtype(scale));
  *out = only_observer
             ? steps
             : quantisation::Dequantized(
                   ops, steps, quantisation::AlongAxis(ops, scale, rank, axis),
                   largest);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LINEAR_QUANTISATION_H_

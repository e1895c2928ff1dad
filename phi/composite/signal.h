// SPDX-License-Identifier: Apache-2.0
// Operators on signals, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_SIGNAL_H_
#define SWITCHYARD_PHI_COMPOSITE_SIGNAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_signal.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// The Fourier transforms of frames of a signal, each times a window.
inline void Stft(Ops& ops, const Value& x, const Value& window, int n_fft,
                 int hop_length, bool normalized, bool onesided, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(window);
  if (shape.rank() != 1 || !MayEqual(shape[0], Dim(n_fft))) {
    return ops.Fail(ArgumentError(
        "window", "of shape [" + std::to_string(n_fft) + "]", ToString(shape)));
  }
  const bool complex = IsComplex(ops.dtype(x));
  if (complex && onesided) {
    return ops.Fail(
        ArgumentError("onesided", "false where x is complex", "true"));
  }
  const Value frames = op::frame(ops, x, n_fft, hop_length, -1);
  const std::vector<int64_t> upright = {-1, 1};
  const Value framed =
      op::multiply(ops, frames, op::reshape(ops, window, upright));
  const std::vector<int64_t> axes = {ops.shape(frames).rank() - 2};
  const char* norm = normalized ? "ortho" : "backward";
  *out = complex ? op::fft_c2c(ops, framed, axes, norm, true)
                 : op::fft_r2c(ops, framed, axes, norm, true, onesided);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SIGNAL_H_

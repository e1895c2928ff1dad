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

namespace switchyard::phi::composite {

// The Fourier transforms of frames of a signal, each times a window.
template <typename Ops, typename V = typename Ops::Value>
void Stft(Ops& ops, const V& x, const V& window, int n_fft, int hop_length,
          bool normalized, bool onesided, V* out) {
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
  const V frames = ops.frame(x, n_fft, hop_length, -1);
  const std::vector<int64_t> upright = {-1, 1};
  const V framed = ops.multiply(frames, ops.reshape(window, upright));
  const std::vector<int64_t> axes = {ops.shape(frames).rank() - 2};
  const char* norm = normalized ? "ortho" : "backward";
  *out = complex ? ops.fft_c2c(framed, axes, norm, true)
                 : ops.fft_r2c(framed, axes, norm, true, onesided);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SIGNAL_H_

// SPDX-License-Identifier: Apache-2.0
// InferMeta of discrete Fourier transforms. Axes are in [-rank, rank), none
// twice, each of one element or more; the last one listed is the one of which
// real numbers have but half of the frequencies.
#ifndef SWITCHYARD_PHI_INFERMETA_FOURIER_FOURIER_H_
#define SWITCHYARD_PHI_INFERMETA_FOURIER_FOURIER_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// out: as x, which is complex. No axes are allowed.
absl::Status FftC2cInferMeta(const TensorSpec& x,
                             absl::Span<const int64_t> axes,
                             std::string_view normalization, bool forward,
                             TensorSpec* out);

// out: complex numbers for x of float32 or float64; of x's shape, with
// `onesided` n / 2 + 1 elements along the last of `axes` for n of x.
absl::Status FftR2cInferMeta(const TensorSpec& x,
                             absl::Span<const int64_t> axes,
                             std::string_view normalization, bool forward,
                             bool onesided, TensorSpec* out);

// out: the real numbers whose frequencies are x: `last_dim_size` along the last
// of `axes`, of which x has last_dim_size / 2 + 1, or 2 * (m - 1) for m of x
// where that is 0.
absl::Status FftC2rInferMeta(const TensorSpec& x,
                             absl::Span<const int64_t> axes,
                             std::string_view normalization, bool forward,
                             int64_t last_dim_size, TensorSpec* out);

// x_grad: of the dtype and shape of an x for which FftC2rInferMeta says that of
// out_grad.
absl::Status FftC2rGradInferMeta(const TensorSpec& out_grad,
                                 absl::Span<const int64_t> axes,
                                 std::string_view normalization, bool forward,
                                 int64_t last_dim_size, TensorSpec* x_grad);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_FOURIER_FOURIER_H_

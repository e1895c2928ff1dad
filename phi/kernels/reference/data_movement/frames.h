// SPDX-License-Identifier: Apache-2.0
// Reference kernels of frames of signals: each element of the frames finds its
// place in the signal by itself.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_FRAMES_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_FRAMES_H_

#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// Where element `number` of the frames, of shape `framed`, is in the signal.
inline Index SignalIndex(const Shape& framed, int64_t number, int hop_length,
                         int axis) {
  const Index at = Unravel(framed, number);
  const int rank = framed.rank();
  Index place = {};
  size_t next = 0;
  if (axis == 0) {
    place[next++] = at[0] * hop_length + at[1];
    for (size_t i = 2; i < static_cast<size_t>(rank); ++i) {
      place[next++] = at[i];
    }
  } else {
    const auto last = static_cast<size_t>(rank) - 1;
    for (; next + 1 < last; ++next) place[next] = at[next];
    place[next] = at[last] * hop_length + at[last - 1];
  }
  return place;
}

template <typename T>
absl::Status Framed(const DenseTensor& signal, int hop_length, int axis,
                    DenseTensor* framed) {
  for (int64_t i = 0; i < framed->numel(); ++i) {
    framed->mutable_data<T>()[i] =
        At<T>(signal, SignalIndex(framed->shape(), i, hop_length, axis));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Added(const DenseTensor& framed, int hop_length, int axis,
                   DenseTensor* signal) {
  std::vector<T> sums(static_cast<size_t>(signal->numel()));
  for (int64_t i = 0; i < framed.numel(); ++i) {
    const Index place = SignalIndex(framed.shape(), i, hop_length, axis);
    sums[static_cast<size_t>(Ravel(signal->shape(), place))] +=
        At<T>(framed, i);
  }
  for (int64_t i = 0; i < signal->numel(); ++i) {
    signal->mutable_data<T>()[i] = sums[static_cast<size_t>(i)];
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFrameSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status FrameKernel(const ReferenceContext&, const DenseTensor& x, int,
                         int hop_length, int axis, DenseTensor* out) {
  return Framed<T>(x, hop_length, axis, out);
}

template <typename S>
inline constexpr auto kFrameGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status FrameGradKernel(const ReferenceContext&,
                             const DenseTensor& out_grad, int hop_length,
                             int axis, DenseTensor* x_grad) {
  return Added<T>(out_grad, hop_length, axis, x_grad);
}

template <typename S>
inline constexpr auto kOverlapAddSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status OverlapAddKernel(const ReferenceContext&, const DenseTensor& x,
                              int hop_length, int axis, DenseTensor* out) {
  return Added<T>(x, hop_length, axis, out);
}

template <typename S>
inline constexpr auto kOverlapAddGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status OverlapAddGradKernel(const ReferenceContext&,
                                  const DenseTensor& out_grad, int hop_length,
                                  int axis, DenseTensor* x_grad) {
  return Framed<T>(out_grad, hop_length, axis, x_grad);
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_FRAMES_H_

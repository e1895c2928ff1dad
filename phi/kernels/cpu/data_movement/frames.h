// SPDX-License-Identifier: Apache-2.0
// Frames of signals on the CPU, contiguous. Signals are seen as [lanes,
// elements] or [elements, lanes]: all axes but that of the signal are one
// extent.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_FRAMES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_FRAMES_H_

#include <algorithm>
#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::cpu {

// How frames lie in a signal.
struct FrameLayout {
  FrameLayout(const DenseTensor& signal, const DenseTensor& framed, int hop,
              int axis)
      : first(axis == 0), hop_length(hop) {
    const int rank = framed.shape().rank();
    frames = framed.extent(first ? 0 : rank - 1);
    frame_length = framed.extent(first ? 1 : rank - 2);
    length = signal.extent(first ? 0 : rank - 2);
    lanes = length == 0 ? 0 : signal.numel() / length;
  }
  // The place of an element of a lane's signal, and of one of its frames.
  int64_t InSignal(int64_t lane, int64_t element) const {
    return first ? element * lanes + lane : lane * length + element;
  }
  int64_t InFrame(int64_t lane, int64_t frame, int64_t element) const {
    return first ? (frame * frame_length + element) * lanes + lane
                 : (lane * frame_length + element) * frames + frame;
  }

  bool first;  // Signals are along the first axis.
  int64_t hop_length;
  int64_t frames;
  int64_t frame_length;
  int64_t length;
  int64_t lanes;
};

// Copies the elements of all frames from the signals.
template <typename T>
void CutFrames(const FrameLayout& at, const T* signal, T* framed) {
  ParallelFor(0, at.lanes, 1, [&](int64_t begin, int64_t end) {
    for (int64_t lane = begin; lane < end; ++lane) {
      for (int64_t k = 0; k < at.frame_length; ++k) {
        for (int64_t f = 0; f < at.frames; ++f) {
          framed[at.InFrame(lane, f, k)] =
              signal[at.InSignal(lane, f * at.hop_length + k)];
        }
      }
    }
  });
}

// Sets each element of the signals to the sum of what frames have there.
template <typename T>
void AddFrames(const FrameLayout& at, const T* framed, T* signal) {
  ParallelFor(0, at.lanes, 1, [&](int64_t begin, int64_t end) {
    for (int64_t lane = begin; lane < end; ++lane) {
      for (int64_t i = 0; i < at.length; ++i) {
        signal[at.InSignal(lane, i)] = T{0};
      }
      for (int64_t f = 0; f < at.frames; ++f) {
        for (int64_t k = 0; k < at.frame_length; ++k) {
          signal[at.InSignal(lane, f * at.hop_length + k)] +=
              framed[at.InFrame(lane, f, k)];
        }
      }
    }
  });
}

template <typename S>
inline constexpr auto kFrameSpec = KernelSpec<S>();
template <typename T>
absl::Status FrameKernel(const CpuContext&, const DenseTensor& x, int,
                         int hop_length, int axis, DenseTensor* out) {
  CutFrames(FrameLayout(x, *out, hop_length, axis), x.data<T>(),
            out->mutable_data<T>());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kFrameGradSpec = KernelSpec<S>();
template <typename T>
absl::Status FrameGradKernel(const CpuContext&, const DenseTensor& out_grad,
                             int hop_length, int axis, DenseTensor* x_grad) {
  AddFrames(FrameLayout(*x_grad, out_grad, hop_length, axis),
            out_grad.data<T>(), x_grad->mutable_data<T>());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kOverlapAddSpec = KernelSpec<S>();
template <typename T>
absl::Status OverlapAddKernel(const CpuContext&, const DenseTensor& x,
                              int hop_length, int axis, DenseTensor* out) {
  AddFrames(FrameLayout(*out, x, hop_length, axis), x.data<T>(),
            out->mutable_data<T>());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kOverlapAddGradSpec = KernelSpec<S>();
template <typename T>
absl::Status OverlapAddGradKernel(const CpuContext&,
                                  const DenseTensor& out_grad, int hop_length,
                                  int axis, DenseTensor* x_grad) {
  CutFrames(FrameLayout(out_grad, *x_grad, hop_length, axis),
            out_grad.data<T>(), x_grad->mutable_data<T>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_FRAMES_H_

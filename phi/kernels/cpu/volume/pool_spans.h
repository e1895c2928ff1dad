// SPDX-License-Identifier: Apache-2.0
// The windows of poolings of volumes along their axes.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_VOLUME_POOL_SPANS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_VOLUME_POOL_SPANS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/kernels/cpu/volume/volume_windows.h"

namespace switchyard::phi::kernels::cpu {

// A window along an axis: elements [begin, end), and its extent with the
// padding that a mean may count.
struct VolumeSpan {
  int64_t begin, end, extent;
};

// How the windows of a call are given.
struct PoolRule {
  absl::Span<const int64_t> kernel_size;
  WindowAttrs window;
  bool ceil_mode, global, adaptive;
};

// One axis of a pooling, resolved.
class PoolAxis {
 public:
  PoolAxis() = default;
  // Axis `axis` of the rule's; -1 is one that is not pooled, of extent 1.
  static absl::StatusOr<PoolAxis> Make(const PoolRule& rule, int axis,
                                       int64_t extent, int64_t outputs) {
    PoolAxis made;
    made.extent_ = extent;
    made.outputs_ = outputs;
    made.adaptive_ = axis < 0 || rule.global || rule.adaptive;
    if (made.adaptive_) return made;
    SY_ASSIGN_OR_RETURN(
        made.window_, ResolveWindow(rule.window, axis, extent,
                                    rule.kernel_size[static_cast<size_t>(axis)],
                                    "kernel_size", rule.ceil_mode));
    return made;
  }
  int64_t outputs() const { return outputs_; }
  VolumeSpan At(int64_t o) const {
    if (adaptive_) {
      const int64_t begin = o * extent_ / outputs_;
      const int64_t end = ((o + 1) * extent_ + outputs_ - 1) / outputs_;
      return {begin, end, end - begin};
    }
    const int64_t begin = o * window_.stride - window_.before;
    // Padding after counts only as far as there is padding before.
    const int64_t end =
        std::min(begin + window_.kernel, extent_ + window_.before);
    return {std::max<int64_t>(begin, 0), std::min(end, extent_), end - begin};
  }

 private:
  int64_t extent_ = 1, outputs_ = 1;
  bool adaptive_ = true;
  WindowAxis window_;
};

// All windows of a call, and where the planes of both tensors lie.
struct VolumePool {
  VolumeTensor x, out;
  PoolAxis axes[3];

  static absl::StatusOr<VolumePool> Make(const Shape& x, const Shape& out,
                                         bool last, const PoolRule& rule) {
    VolumePool pool{VolumeTensor(x, last), VolumeTensor(out, last), {}};
    const int unused = 3 - (x.rank() - 2);
    for (int i = 0; i < 3; ++i) {
      SY_ASSIGN_OR_RETURN(pool.axes[i],
                          PoolAxis::Make(rule, i - unused, pool.x.extents[i],
                                         pool.out.extents[i]));
    }
    return pool;
  }

  int64_t planes() const { return out.batch * out.channels; }
  // Planes a chunk.
  int64_t grain() const {
    return std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, x.pixels()));
  }
  int64_t XBegin(int64_t plane) const {
    return plane / x.channels * x.batch_stride +
           plane % x.channels * x.channel_stride;
  }
  int64_t OutBegin(int64_t plane) const {
    return plane / out.channels * out.batch_stride +
           plane % out.channels * out.channel_stride;
  }

  // Calls visit(offset in out's plane, three spans) for each window.
  template <typename Visit>
  void ForEachWindow(const Visit& visit) const {
    for (int64_t z = 0; z < axes[0].outputs(); ++z) {
      for (int64_t y = 0; y < axes[1].outputs(); ++y) {
        for (int64_t w = 0; w < axes[2].outputs(); ++w) {
          visit(z * out.strides[0] + y * out.strides[1] + w * out.strides[2],
                axes[0].At(z), axes[1].At(y), axes[2].At(w));
        }
      }
    }
  }
  // Calls visit(offset in x's plane, number of the element in it) for each
  // element of a window.
  template <typename Visit>
  void ForEachElement(VolumeSpan zs, VolumeSpan ys, VolumeSpan ws,
                      const Visit& visit) const {
    for (int64_t z = zs.begin; z < zs.end; ++z) {
      for (int64_t y = ys.begin; y < ys.end; ++y) {
        for (int64_t w = ws.begin; w < ws.end; ++w) {
          visit(z * x.strides[0] + y * x.strides[1] + w * x.strides[2],
                (z * x.extents[1] + y) * x.extents[2] + w);
        }
      }
    }
  }

  // The largest element of a window of a plane: the first of equal ones; a NaN
  // is larger than all, and the last one is taken.
  template <typename T>
  struct Largest {
    T value;
    int64_t offset, number;
  };
  template <typename T>
  Largest<T> LargestOf(VolumeSpan zs, VolumeSpan ys, VolumeSpan ws,
                       const T* plane) const {
    Largest<T> largest = {T{}, -1, -1};
    ForEachElement(zs, ys, ws, [&](int64_t offset, int64_t number) {
      const T v = plane[offset];
      if (largest.offset < 0 || v > largest.value || std::isnan(v)) {
        largest = {v, offset, number};
      }
    });
    return largest;
  }
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_VOLUME_POOL_SPANS_H_

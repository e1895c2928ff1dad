// SPDX-License-Identifier: Apache-2.0
// ConvGeometry: the extents of one 2-d convolution of contiguous [batch,
// channels, height, width] images, and how its work is cut.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_GEOMETRY_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_GEOMETRY_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <optional>

#include "framework/base/checked_math.h"
#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/memory/buffer.h"
#include "phi/shapes/window.h"

namespace switchyard::phi::kernels::cpu {

// Channels are those of one group.
struct ConvGeometry {
  int64_t batch;
  int64_t groups;
  int64_t in_channels;
  int64_t out_channels;
  WindowAxis height;
  WindowAxis width;

  int64_t in_pixels() const { return height.input * width.input; }
  int64_t out_pixels() const { return height.output * width.output; }
  // Products in one element of out.
  int64_t taps() const { return in_channels * height.kernel * width.kernel; }
  // One group's part of one image.
  int64_t in_size() const { return in_channels * in_pixels(); }
  int64_t out_size() const { return out_channels * out_pixels(); }
  // One group's filter.
  int64_t filter_size() const { return out_channels * taps(); }

  // How many images' groups are worth a thread.
  int64_t grain() const {
    constexpr double kTaskWork = 1 << 18;  // Multiply-adds.
    const double work = static_cast<double>(out_channels) *
                        static_cast<double>(taps()) *
                        static_cast<double>(out_pixels());
    return static_cast<int64_t>(
        std::min(1e9, std::max(1.0, kTaskWork / std::max(1.0, work))));
  }
};

// Memory for `count` elements of T; SizeError if that is absurd.
template <typename T>
absl::StatusOr<RefPtr<Buffer>> AllocateElements(Allocator& allocator,
                                                std::optional<int64_t> count) {
  const auto bytes = count ? CheckedMultiply(*count, sizeof(T)) : std::nullopt;
  if (!bytes) return SizeError("input", "small enough to be padded", "more");
  return allocator.Allocate(*bytes);
}

// Calls task(i, workspace, fresh) for i in [0, count), each chunk with
// `elements` of workspace memory of its own, which is `fresh` for its first
// task and then as the one before left it. ResourceExhausted if one of them
// failed.
template <typename T, typename Task>
absl::Status ForEachWithWorkspace(Allocator& allocator, int64_t count,
                                  int64_t grain,
                                  std::optional<int64_t> elements,
                                  const Task& task) {
  std::atomic<bool> failed{false};
  ParallelFor(0, count, grain, [&](int64_t begin, int64_t end) {
    try {
      const auto workspace = AllocateElements<T>(allocator, elements);
      for (int64_t i = begin; i < end; ++i) {
        if (!workspace.ok() ||
            !task(i, static_cast<T*>((*workspace)->data()), i == begin).ok()) {
          failed = true;
          return;
        }
      }
    } catch (const std::bad_alloc&) {  // Of a task's small tables.
      failed = true;
    }
  });
  if (!failed) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      "no memory for a convolution's workspace");
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CONV_GEOMETRY_H_

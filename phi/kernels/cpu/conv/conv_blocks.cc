// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conv/conv_blocks.h"

#include "phi/kernels/cpu/conv/block_rows.h"
#include "phi/kernels/cpu/conv/conv_direct.h"
#include "phi/kernels/cpu/conv/conv_engine.h"
#include "phi/kernels/cpu/conv/conv_rows.h"

namespace switchyard::phi::kernels::cpu {
namespace {

int64_t BlocksOf(int64_t channels, int64_t block) {
  return (channels + block - 1) / block;
}

// The outputs along an axis all of whose taps lie within the input.
struct Inside {
  int64_t first, last;
};
Inside InsideOf(const WindowAxis& axis) {
  const int64_t reach = (axis.kernel - 1) * axis.dilation;
  const int64_t room = axis.input - 1 - reach + axis.before;
  const int64_t first = (axis.before + axis.stride - 1) / axis.stride;
  const int64_t last = room < 0 ? 0 : room / axis.stride + 1;
  const int64_t end = std::min(axis.output, std::max(last, int64_t{0}));
  return {std::min(first, end), end};
}

template <typename T>
absl::Status Depthwise(Allocator& allocator, const ConvGeometry& g,
                       int64_t block, const T* input, const T* filter, T* out) {
  const WindowAxis &h = g.height, &w = g.width;
  const int64_t blocks = BlocksOf(g.groups, block);
  const int64_t row = w.input * block;
  const int64_t zero_row = std::max(row, block);  // The image may be empty.
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> buffer,
                      AllocateElements<T>(allocator, zero_row));
  T* const zeros = static_cast<T*>(buffer->data());
  std::fill_n(zeros, zero_row, T{0});
  const Inside inside = InsideOf(w);
  const int64_t grain = std::max<int64_t>(
      1, (1 << 16) / std::max<int64_t>(1, w.output * block * g.taps()));
  ParallelFor(
      0, g.batch * blocks * h.output, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t plane = i / h.output, y = i % h.output;
          const T* const image = input + plane * h.input * row;
          DepthwiseRow<T> task = {
              {},          filter + plane % blocks * g.taps() * block,
              zeros,       out + i * w.output * block,
              block,       h.kernel,
              w,           inside.first,
              inside.last, IsPlane(g)};
          for (int64_t kh = 0; kh < h.kernel; ++kh) {
            const int64_t at = y * h.stride + kh * h.dilation - h.before;
            task.rows[kh] = at >= 0 && at < h.input ? image + at * row : zeros;
          }
          RunDepthwiseRow(task);
        }
      });
  return absl::OkStatus();
}

template <typename T>
void Pointwise(const ConvGeometry& g, int64_t block, const T* input,
               const T* filter, T* out) {
  const int64_t pixels = g.out_pixels();
  const int64_t in_blocks = BlocksOf(g.in_channels, block);
  const int64_t out_blocks = BlocksOf(g.out_channels, block);
  if (in_blocks == 0) {
    std::fill_n(out, g.batch * out_blocks * pixels * block, T{0});
    return;
  }
  // The channels of the pixels of a part stay in the second cache.
  constexpr int64_t kElements = 1 << 15, kFewest = 48;
  const int64_t step = std::max(kFewest, kElements / (in_blocks * block));
  const int64_t parts = (pixels + step - 1) / step;
  ParallelFor(0, g.batch * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / parts, pixel = i % parts * step;
      RunPointwise<T>({input + (image * in_blocks * pixels + pixel) * block,
                       filter,
                       out + (image * out_blocks * pixels + pixel) * block,
                       block, g.in_channels, g.out_channels, pixels,
                       std::min(step, pixels - pixel)});
    }
  });
}

}  // namespace

BlockedConv BlockedConvOf(const ConvGeometry& g) {
  if (g.groups == 1 && IsPointwise(g)) return BlockedConv::kPointwise;
  // Narrow results are products of matrices (conv_engine.cc).
  const bool one_tap = g.height.kernel == 1 && g.width.kernel == 1;
  if (g.in_channels != 1 || g.out_channels != 1 || one_tap ||
      g.height.kernel > kMaxBlockKernel ||
      2 * g.width.output < ConvLanes<float>()) {
    return BlockedConv::kNone;
  }
  return BlockedConv::kDepthwise;
}

LayoutDescriptor BlockedFilter(BlockedConv kind, int64_t block) {
  if (kind == BlockedConv::kDepthwise) {
    return *LayoutDescriptor::Make({0, 1, 2, 3}, {{0, block}});
  }
  return *LayoutDescriptor::Make({0, 1, 2, 3}, {{1, block}, {0, block}});
}

template <typename T>
absl::Status ConvBlocks(Allocator& allocator, const ConvGeometry& g,
                        int64_t block, const T* input, const T* filter,
                        T* out) {
  if (g.batch == 0 || g.out_size() == 0) return absl::OkStatus();
  if (BlockedConvOf(g) == BlockedConv::kDepthwise) {
    return Depthwise(allocator, g, block, input, filter, out);
  }
  Pointwise(g, block, input, filter, out);
  return absl::OkStatus();
}

#define SY_CONV_BLOCKS(T)                                              \
  template absl::Status ConvBlocks<T>(Allocator&, const ConvGeometry&, \
                                      int64_t, const T*, const T*, T*)
SY_CONV_BLOCKS(float);
SY_CONV_BLOCKS(double);
#undef SY_CONV_BLOCKS

}  // namespace switchyard::phi::kernels::cpu

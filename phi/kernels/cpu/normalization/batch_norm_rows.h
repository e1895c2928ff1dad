// SPDX-License-Identifier: Apache-2.0
// batch_norm and its gradient over rows of channels: images whose channels are
// last, tensors of rank 2, and blocks of channels. Sums over rows are cut into
// parts that the shape decides: the number of threads does not change the bits.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_BATCH_NORM_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_BATCH_NORM_ROWS_H_

#include <algorithm>
#include <string_view>

#include "framework/device/cpu/parallel.h"
#include "framework/memory/buffer.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/image_layouts.h"
#include "phi/kernels/cpu/normalization/batch_norm_channels.h"

namespace switchyard::phi::kernels::cpu {

// An image tensor as it lies in memory, with the axis of its channels. The axes
// of one with blocked channels are [batch, blocks, ..., block].
struct NormAxes {
  Shape shape;
  int channel;
  int64_t channels;
  bool blocked;

  NormAxes(const DenseTensor& x, std::string_view data_format)
      : shape(*ShapeInMemory(x.layout(), x.shape())) {
    const int last = x.rank() - 1;
    channel = data_format == "NHWC" ? last : 1;
    channels = x.extent(channel);
    if (!x.layout().strided()) channel = 1;
    blocked = shape.rank() > x.rank();
  }
};

// Pieces of `rows` rows each. Channel number `piece % blocks * width` is the
// first of a piece's.
struct ChannelRows {
  int64_t pieces = 0, rows = 0, width = 0, blocks = 1, channels;

  explicit ChannelRows(const NormAxes& x) : channels(x.channels) {
    const Shape& shape = x.shape;
    if (shape.numel() == 0) return;
    if (x.blocked) {
      width = shape.extent(shape.rank() - 1);
      blocks = shape.extent(1);
      pieces = shape.extent(0) * blocks;
      rows = shape.numel(2, shape.rank() - 1);
    } else if (shape.numel(x.channel + 1, shape.rank()) == 1 &&
               shape.numel() > channels) {
      width = channels;
      pieces = 1;
      rows = shape.numel() / channels;
    }
  }
  bool are_there() const { return pieces > 0; }
  // Channels with those that fill the last block.
  int64_t padded() const { return blocks * width; }
};

// Calls task(channel, at, rows) for all rows: `channel` is the first of theirs,
// `at` the position of their first element.
template <typename Task>
void ForEachRows(const ChannelRows& r, const Task& task) {
  const int64_t step = std::max<int64_t>(1, (1 << 14) / r.width);
  const int64_t parts = (r.rows + step - 1) / step;
  ParallelFor(0, r.pieces * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t piece = i / parts, row = i % parts * step;
      task(piece % r.blocks * r.width, (piece * r.rows + row) * r.width,
           std::min(step, r.rows - row));
    }
  });
}

// Numbers of each channel, filled up with zeros.
template <typename C>
absl::StatusOr<RefPtr<Buffer>> ChannelNumbers(Allocator& allocator,
                                              const ChannelRows& r, int count) {
  const int64_t elements = count * r.padded();
  SY_ASSIGN_OR_RETURN(RefPtr<Buffer> buffer,
                      allocator.Allocate(elements * sizeof(C)));
  std::fill_n(static_cast<C*>(buffer->data()), elements, C{0});
  return buffer;
}

// Calls add(first_row, rows, sums) for parts of one piece's rows, each with
// `count` sums of each channel, and adds up the parts' sums in their order.
template <typename C, typename Add>
absl::Status SumOverRows(Allocator& allocator, const ChannelRows& r, int count,
                         C* sums, const Add& add) {
  constexpr int64_t kParts = 64, kFewestRows = 256;
  const int64_t step = std::max(kFewestRows, (r.rows + kParts - 1) / kParts);
  const int64_t parts = (r.rows + step - 1) / step, width = count * r.channels;
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> buffer,
                      allocator.Allocate(parts * width * sizeof(C)));
  C* const part_sums = static_cast<C*>(buffer->data());
  std::fill_n(part_sums, parts * width, C{0});
  ParallelFor(0, parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      add(p * step, std::min(step, r.rows - p * step), part_sums + p * width);
    }
  });
  for (int64_t i = 0; i < width; ++i) {
    sums[i] = 0;
    for (int64_t p = 0; p < parts; ++p) sums[i] += part_sums[p * width + i];
  }
  return absl::OkStatus();
}

// Blocks need running statistics.
template <typename C>
absl::Status NormalizeRows(Allocator& allocator, const ChannelRows& r,
                           const BatchNormChannels<C>& by, const C* from,
                           C* to) {
  const NormSimd<C>& spans = NormSimd<C>::Get();
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> buffer,
                      ChannelNumbers<C>(allocator, r, 2));
  C* const factors = static_cast<C*>(buffer->data());
  C* const shifts = factors + r.padded();
  if (!by.running) {  // Means and variances first, in the same memory.
    C *const means = factors, *const variances = shifts;
    SY_RETURN_IF_ERROR(SumOverRows(
        allocator, r, 1, means, [&](int64_t row, int64_t rows, C* sums) {
          spans.add_rows(from + row * r.width, rows, r.width, sums);
        }));
    for (int64_t c = 0; c < r.channels; ++c) means[c] /= C(r.rows);
    SY_RETURN_IF_ERROR(SumOverRows(
        allocator, r, 1, variances, [&](int64_t row, int64_t rows, C* sums) {
          spans.add_row_squares(from + row * r.width, rows, r.width, means,
                                sums);
        }));
    for (int64_t c = 0; c < r.channels; ++c) variances[c] /= C(r.rows);
  }
  for (int64_t c = 0; c < r.channels; ++c) {
    const NormAffine<C> affine =
        by.running ? by.Keep(c)
        : SquaresLeaveRange(shifts[c], by.epsilon)
            ? by.Update(c, WideChannel<C>(from + c, r.rows, r.width, 1))
            : by.Update(c, factors[c], shifts[c]);
    factors[c] = affine.factor;
    shifts[c] = affine.shift;
  }
  ForEachRows(r, [&](int64_t channel, int64_t at, int64_t rows) {
    spans.affine_rows(from + at, rows, r.width, factors + channel,
                      shifts + channel, to + at);
  });
  return absl::OkStatus();
}

// Requires rows of all channels. `to` may be null.
template <typename C>
absl::Status GradOfRows(Allocator& allocator, const ChannelRows& r,
                        const BatchNormGradChannels<C>& by, const C* from,
                        const C* dy, C* to) {
  const NormSimd<C>& spans = NormSimd<C>::Get();
  SY_ASSIGN_OR_RETURN(const RefPtr<Buffer> buffer,
                      ChannelNumbers<C>(allocator, r, 3));
  // Sums of dy and dy * (x - mean), then what is taken off.
  C* const levels = static_cast<C*>(buffer->data());
  C* const slopes = levels + r.channels;
  C* const factors = slopes + r.channels;
  SY_RETURN_IF_ERROR(SumOverRows(
      allocator, r, 2, levels, [&](int64_t row, int64_t rows, C* sums) {
        spans.add_row_grads(from + row * r.width, dy + row * r.width, rows,
                            r.width, by.means, sums, sums + r.channels);
      }));
  for (int64_t c = 0; c < r.channels; ++c) {
    const NormGradSums<C> sums = {levels[c], slopes[c] * by.inverses[c]};
    by.StoreSums(c, sums);
    const NormGradSums<C> average = by.Average(sums, false, r.rows);
    levels[c] = average.g;
    slopes[c] = average.gn * by.inverses[c];
    factors[c] = by.Factor(c);
  }
  if (to == nullptr) return absl::OkStatus();
  ForEachRows(r, [&](int64_t, int64_t at, int64_t rows) {
    spans.grad_rows(from + at, dy + at, rows, r.width,
                    {by.means, factors, levels, slopes}, to + at);
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_BATCH_NORM_ROWS_H_

// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conv/conv_engine.h"

#include <algorithm>

#include "phi/kernels/cpu/conv/conv_direct.h"
#include "phi/kernels/cpu/gemm/gemm.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// The gradient of a filter is summed in at most this many parts.
constexpr int64_t kFilterParts = 16;

bool IsPointwiseAlong(const WindowAxis& axis) {
  return axis.kernel == 1 && axis.stride == 1 && axis.before == 0 &&
         axis.after == 0 && axis.input == axis.output;
}

// Outputs [first, last) along an axis whose tap number k lies within the input.
struct Span {
  int64_t first, last;
};
Span InsideOf(const WindowAxis& axis, int64_t k) {
  const int64_t offset = k * axis.dilation - axis.before;
  int64_t first = 0;
  if (offset < 0) first = (-offset + axis.stride - 1) / axis.stride;
  int64_t last = 0;
  if (axis.input > offset) last = (axis.input - offset - 1) / axis.stride + 1;
  last = std::min(last, axis.output);
  return {std::min(first, last), last};
}

// Row (c, kh, kw) of `columns` is what that tap sees, pixel by pixel.
template <typename T>
void Unfold(const ConvGeometry& g, const T* image, T* columns) {
  const WindowAxis &h = g.height, &w = g.width;
  for (int64_t c = 0; c < g.in_channels; ++c, image += g.in_pixels()) {
    for (int64_t kh = 0; kh < h.kernel; ++kh) {
      const Span rows = InsideOf(h, kh);
      for (int64_t kw = 0; kw < w.kernel; ++kw) {
        const Span cells = InsideOf(w, kw);
        const int64_t left = kw * w.dilation - w.before;
        std::fill_n(columns, rows.first * w.output, T{0});
        for (int64_t y = rows.first; y < rows.last; ++y) {
          const T* from =
              image + (y * h.stride + kh * h.dilation - h.before) * w.input;
          T* to = columns + y * w.output;
          std::fill_n(to, cells.first, T{0});
          for (int64_t x = cells.first; x < cells.last; ++x) {
            to[x] = from[x * w.stride + left];
          }
          std::fill_n(to + cells.last, w.output - cells.last, T{0});
        }
        std::fill_n(columns + rows.last * w.output,
                    (h.output - rows.last) * w.output, T{0});
        columns += g.out_pixels();
      }
    }
  }
}

// Returns true if windows lie side by side, and cover the input.
bool IsTiling(const WindowAxis& axis) {
  return axis.kernel == axis.stride && axis.dilation == 1 && axis.before == 0 &&
         axis.input == axis.kernel * axis.output;
}

// Writes two rows of columns into a row of tiles two wide, by turns.
template <typename T>
void Interleave(const T* even, const T* odd, int64_t count, T* to) {
  for (int64_t x = 0; x < count; ++x) {
    to[2 * x] = even[x];
    to[2 * x + 1] = odd[x];
  }
}

// Fold() where every pixel of the image has one window.
template <typename T>
void FoldTiles(const ConvGeometry& g, const T* columns, T* image) {
  const WindowAxis &h = g.height, &w = g.width;
  for (int64_t c = 0; c < g.in_channels; ++c, image += g.in_pixels()) {
    for (int64_t kh = 0; kh < h.kernel; ++kh) {
      for (int64_t y = 0; y < h.output; ++y) {
        T* const to = image + (y * h.stride + kh) * w.input;
        const T* const from = columns + y * w.output;
        if (w.kernel == 2) {
          Interleave(from, from + g.out_pixels(), w.output, to);
          continue;
        }
        for (int64_t kw = 0; kw < w.kernel; ++kw) {
          for (int64_t x = 0; x < w.output; ++x) {
            to[x * w.stride + kw] = from[kw * g.out_pixels() + x];
          }
        }
      }
      columns += w.kernel * g.out_pixels();
    }
  }
}

// The transpose of Unfold: adds up in `image`, which it clears first.
template <typename T>
void Fold(const ConvGeometry& g, const T* columns, T* image) {
  if (IsTiling(g.height) && IsTiling(g.width)) {
    return FoldTiles(g, columns, image);
  }
  const WindowAxis &h = g.height, &w = g.width;
  std::fill_n(image, g.in_channels * g.in_pixels(), T{0});
  for (int64_t c = 0; c < g.in_channels; ++c, image += g.in_pixels()) {
    for (int64_t kh = 0; kh < h.kernel; ++kh) {
      const Span rows = InsideOf(h, kh);
      for (int64_t kw = 0; kw < w.kernel; ++kw) {
        const Span cells = InsideOf(w, kw);
        const int64_t left = kw * w.dilation - w.before;
        for (int64_t y = rows.first; y < rows.last; ++y) {
          T* to = image + (y * h.stride + kh * h.dilation - h.before) * w.input;
          const T* from = columns + y * w.output;
          for (int64_t x = cells.first; x < cells.last; ++x) {
            to[x * w.stride + left] += from[x];
          }
        }
        columns += g.out_pixels();
      }
    }
  }
}

std::optional<int64_t> ColumnElements(const ConvGeometry& g) {
  if (IsPointwise(g)) return 0;
  return CheckedMultiply(g.taps(), g.out_pixels());
}

// As DirectFilterGrad (conv_direct.h).
template <typename T>
absl::Status ColumnsFilterGrad(Allocator& allocator, const ConvGeometry& g,
                               int64_t group, int64_t begin, int64_t end,
                               const T* input, const T* out_grad, T* sums) {
  const int64_t size = g.filter_size();
  const auto columns_size = ColumnElements(g);
  SY_ASSIGN_OR_RETURN(
      const RefPtr<Buffer> buffer,
      AllocateElements<T>(allocator, columns_size
                                         ? CheckedAdd(*columns_size, size)
                                         : std::nullopt));
  T* const one = static_cast<T*>(buffer->data());
  T* const columns = one + size;
  for (int64_t n = begin; n < end; ++n) {
    const int64_t i = n * g.groups + group;
    const T* seen = input + i * g.in_size();
    if (!IsPointwise(g)) {
      Unfold(g, seen, columns);
      seen = columns;
    }
    const GemmProduct<T> product{
        {out_grad + i * g.out_size(), g.out_pixels(), 1},
        {seen, 1, g.out_pixels()},
        one};
    SY_RETURN_IF_ERROR(Gemm(allocator, g.out_channels, g.taps(), g.out_pixels(),
                            absl::MakeConstSpan(&product, 1)));
    for (int64_t j = 0; j < size; ++j) sums[j] += one[j];
  }
  return absl::OkStatus();
}

// Vectors of results are half full at least.
template <typename T>
bool FillsVectors(int64_t row) {
  return 2 * row >= ConvLanes<T>();
}

}  // namespace

bool IsPointwise(const ConvGeometry& g) {
  return IsPointwiseAlong(g.height) && IsPointwiseAlong(g.width);
}

template <typename T>
absl::Status ConvForward(Allocator& allocator, const ConvGeometry& g,
                         const T* input, const T* filter, T* out) {
  if (g.out_size() == 0) return absl::OkStatus();
  const bool one_tap = g.height.kernel == 1 && g.width.kernel == 1;
  if (!one_tap && FillsVectors<T>(g.width.output)) {
    return DirectForward(allocator, g, input, filter, out);
  }
  return ForEachWithWorkspace<T>(
      allocator, g.batch * g.groups, g.grain(), ColumnElements(g),
      [&](int64_t i, T* columns, bool) {
        const T* b = input + i * g.in_size();
        if (!IsPointwise(g)) {
          Unfold(g, b, columns);
          b = columns;
        }
        const GemmProduct<T> product{
            {filter + i % g.groups * g.filter_size(), g.taps(), 1},
            {b, g.out_pixels(), 1},
            out + i * g.out_size()};
        return Gemm(allocator, g.out_channels, g.out_pixels(), g.taps(),
                    absl::MakeConstSpan(&product, 1));
      });
}

template <typename T>
absl::Status ConvInputGrad(Allocator& allocator, const ConvGeometry& g,
                           const T* filter, const T* out_grad, T* input_grad) {
  if (g.in_size() == 0) return absl::OkStatus();
  const bool strided = g.height.stride > 1 || g.width.stride > 1;
  if (!IsPointwise(g) && !strided && FillsVectors<T>(g.width.input)) {
    return DirectInputGrad(allocator, g, filter, out_grad, input_grad);
  }
  return ForEachWithWorkspace<T>(
      allocator, g.batch * g.groups, g.grain(), ColumnElements(g),
      [&](int64_t i, T* columns, bool) {
        T* to = input_grad + i * g.in_size();
        const GemmProduct<T> product{
            {filter + i % g.groups * g.filter_size(), 1, g.taps()},
            {out_grad + i * g.out_size(), g.out_pixels(), 1},
            IsPointwise(g) ? to : columns};
        SY_RETURN_IF_ERROR(Gemm(allocator, g.taps(), g.out_pixels(),
                                g.out_channels,
                                absl::MakeConstSpan(&product, 1)));
        if (!IsPointwise(g)) Fold(g, columns, to);
        return absl::OkStatus();
      });
}

template <typename T>
absl::Status ConvFilterGrad(Allocator& allocator, const ConvGeometry& g,
                            const T* input, const T* out_grad, T* filter_grad) {
  const int64_t size = g.filter_size();
  const int64_t total = g.groups * size;
  if (total == 0) return absl::OkStatus();
  const int64_t step =
      std::max<int64_t>(1, (g.batch + kFilterParts - 1) / kFilterParts);
  const int64_t parts = ChunkCount(0, g.batch, step);
  SY_ASSIGN_OR_RETURN(
      const RefPtr<Buffer> sums,
      AllocateElements<T>(allocator, CheckedMultiply(total, parts)));
  T* const part_sums = static_cast<T*>(sums->data());
  const bool direct = FillsVectors<T>(g.width.output);
  SY_RETURN_IF_ERROR(ForEachWithWorkspace<T>(
      allocator, parts * g.groups, 1, 0, [&](int64_t task, T*, bool) {
        const int64_t group = task % g.groups, part = task / g.groups;
        T* const sum = part_sums + part * total + group * size;
        std::fill_n(sum, size, T{0});
        const int64_t begin = part * step;
        const int64_t end = std::min(g.batch, begin + step);
        const auto add = direct ? &DirectFilterGrad<T> : &ColumnsFilterGrad<T>;
        return add(allocator, g, group, begin, end, input, out_grad, sum);
      }));
  ParallelFor(0, total, 1 << 14, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      T sum = 0;
      for (int64_t p = 0; p < parts; ++p) sum += part_sums[p * total + j];
      filter_grad[j] = sum;
    }
  });
  return absl::OkStatus();
}

#define SY_CONV_ENGINE(T)                                                  \
  template absl::Status ConvForward<T>(Allocator&, const ConvGeometry&,    \
                                       const T*, const T*, T*);            \
  template absl::Status ConvInputGrad<T>(Allocator&, const ConvGeometry&,  \
                                         const T*, const T*, T*);          \
  template absl::Status ConvFilterGrad<T>(Allocator&, const ConvGeometry&, \
                                          const T*, const T*, T*)
SY_CONV_ENGINE(float);
SY_CONV_ENGINE(double);
#undef SY_CONV_ENGINE

}  // namespace switchyard::phi::kernels::cpu

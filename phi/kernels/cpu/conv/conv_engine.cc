// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conv/conv_engine.h"

#include <algorithm>

#include "phi/kernels/cpu/conv/conv_direct.h"
#include "phi/kernels/cpu/gemm/gemm.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// The gradient of a filter is summed in at most this many parts.
constexpr int64_t kFilterParts = 16;

// A product of matrices with this number of columns is worth its packing.
constexpr int64_t kProductColumns = 256;

// Where a product of several images is better than sums in place: IsDirect().
constexpr int64_t kFewPlanes = 4;
constexpr int64_t kManyTaps = 64;
constexpr int64_t kManyChannels = 32;

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

// Row (c, kh, kw) of `columns` is what that tap sees, pixel by pixel; rows are
// `row` elements apart.
template <typename T>
void Unfold(const ConvGeometry& g, const T* image, int64_t row, T* columns) {
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
        columns += row;
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
void FoldTiles(const ConvGeometry& g, const T* columns, int64_t row, T* image) {
  const WindowAxis &h = g.height, &w = g.width;
  for (int64_t c = 0; c < g.in_channels; ++c, image += g.in_pixels()) {
    for (int64_t kh = 0; kh < h.kernel; ++kh) {
      for (int64_t y = 0; y < h.output; ++y) {
        T* const to = image + (y * h.stride + kh) * w.input;
        const T* const from = columns + y * w.output;
        if (w.kernel == 2) {
          Interleave(from, from + row, w.output, to);
          continue;
        }
        for (int64_t kw = 0; kw < w.kernel; ++kw) {
          for (int64_t x = 0; x < w.output; ++x) {
            to[x * w.stride + kw] = from[kw * row + x];
          }
        }
      }
      columns += w.kernel * row;
    }
  }
}

// The transpose of Unfold: adds up in `image`, which it clears first.
template <typename T>
void Fold(const ConvGeometry& g, const T* columns, int64_t row, T* image) {
  if (IsTiling(g.height) && IsTiling(g.width)) {
    return FoldTiles(g, columns, row, image);
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
        columns += row;
      }
    }
  }
}

// Returns how many planes of results give a product kProductColumns, at least
// one; of several groups one.
int64_t PlanesOfProduct(const ConvGeometry& g) {
  if (g.groups != 1 || g.out_pixels() == 0) return 1;
  return std::max<int64_t>(1, kProductColumns / g.out_pixels());
}

// Returns how many images make one product.
int64_t Together(const ConvGeometry& g) {
  return std::min(PlanesOfProduct(g), std::max<int64_t>(1, g.batch));
}

// Copies planes [channels][pixels], one image after another, beside each other:
// into rows [channels][images * pixels]; or back.
template <typename T>
void PutTogether(const T* images, int64_t count, int64_t channels,
                 int64_t pixels, T* rows) {
  for (int64_t n = 0; n < count; ++n) {
    for (int64_t c = 0; c < channels; ++c, images += pixels) {
      std::copy_n(images, pixels, rows + (c * count + n) * pixels);
    }
  }
}
template <typename T>
void TakeApart(const T* rows, int64_t count, int64_t channels, int64_t pixels,
               T* images) {
  for (int64_t n = 0; n < count; ++n) {
    for (int64_t c = 0; c < channels; ++c, images += pixels) {
      std::copy_n(rows + (c * count + n) * pixels, pixels, images);
    }
  }
}

// Returns the elements that a product of `together` images takes beside its
// operands: the columns, and the results (or their gradients) in rows.
std::optional<int64_t> WorkspaceElements(const ConvGeometry& g,
                                         int64_t together) {
  if (together == 1 && IsPointwise(g)) return 0;
  const auto columns = CheckedMultiply(g.taps(), g.out_pixels() * together);
  if (!columns || together == 1) return columns;
  return CheckedAdd(*columns, g.out_size() * together);
}

// Columns of `count` images beside each other, in `columns` where they are not
// the one image itself.
template <typename T>
const T* UnfoldTogether(const ConvGeometry& g, const T* input, int64_t count,
                        T* columns) {
  if (count == 1 && IsPointwise(g)) return input;
  for (int64_t n = 0; n < count; ++n) {
    Unfold(g, input + n * g.in_size(), count * g.out_pixels(),
           columns + n * g.out_pixels());
  }
  return columns;
}

// As DirectFilterGrad (conv_direct.h).
template <typename T>
absl::Status ColumnsFilterGrad(Allocator& allocator, const ConvGeometry& g,
                               int64_t group, int64_t begin, int64_t end,
                               const T* input, const T* out_grad, T* sums) {
  const int64_t size = g.filter_size(), together = Together(g);
  const auto workspace = WorkspaceElements(g, together);
  SY_ASSIGN_OR_RETURN(
      const RefPtr<Buffer> buffer,
      AllocateElements<T>(
          allocator, workspace ? CheckedAdd(*workspace, size) : std::nullopt));
  T* const one = static_cast<T*>(buffer->data());
  T* const columns = one + size;
  T* const grads = columns + g.taps() * g.out_pixels() * together;
  for (int64_t n = begin; n < end; n += together) {
    const int64_t count = std::min(together, end - n);
    const int64_t i = n * g.groups + group, row = count * g.out_pixels();
    const T* seen = UnfoldTogether(g, input + i * g.in_size(), count, columns);
    const T* grad = out_grad + i * g.out_size();
    if (count > 1) {
      PutTogether(grad, count, g.out_channels, g.out_pixels(), grads);
      grad = grads;
    }
    const GemmProduct<T> product{{grad, row, 1}, {seen, 1, row}, one};
    SY_RETURN_IF_ERROR(Gemm(allocator, g.out_channels, g.taps(), row,
                            absl::MakeConstSpan(&product, 1)));
    for (int64_t j = 0; j < size; ++j) sums[j] += one[j];
  }
  return absl::OkStatus();
}

// Calls work(first, count, workspace) for the images of one product after
// another; of several groups, for each group of each image.
template <typename T, typename Work>
absl::Status ForEachProduct(Allocator& allocator, const ConvGeometry& g,
                            const Work& work) {
  const int64_t total = g.batch * g.groups;
  // No fewer products than threads: bits don't depend on how many there are.
  const int64_t together = std::max<int64_t>(
      1, std::min(Together(g), total / std::max(1, NumThreads())));
  return ForEachWithWorkspace<T>(
      allocator, (total + together - 1) / together,
      std::max<int64_t>(1, g.grain() / together),
      WorkspaceElements(g, together), [&](int64_t i, T* workspace, bool) {
        const int64_t first = i * together;
        return work(first, std::min(together, total - first), workspace);
      });
}

// Whether results in rows that long are summed where the image lies. Vectors
// are half full at least; a product of several small planes beats them where
// it has sums of enough taps for enough channels.
template <typename T>
bool IsDirect(const ConvGeometry& g, int64_t row) {
  if (2 * row < ConvLanes<T>()) return false;
  return PlanesOfProduct(g) < kFewPlanes || g.taps() < kManyTaps ||
         g.out_channels < kManyChannels;
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
  if (!one_tap && IsDirect<T>(g, g.width.output)) {
    return DirectForward(allocator, g, input, filter, out);
  }
  return ForEachProduct<T>(
      allocator, g, [&](int64_t i, int64_t count, T* columns) {
        const int64_t row = count * g.out_pixels();
        T* const to = out + i * g.out_size();
        T* const sums = count == 1 ? to : columns + g.taps() * row;
        const GemmProduct<T> product{
            {filter + i % g.groups * g.filter_size(), g.taps(), 1},
            {UnfoldTogether(g, input + i * g.in_size(), count, columns), row,
             1},
            sums};
        SY_RETURN_IF_ERROR(Gemm(allocator, g.out_channels, row, g.taps(),
                                absl::MakeConstSpan(&product, 1)));
        if (count > 1) {
          TakeApart(sums, count, g.out_channels, g.out_pixels(), to);
        }
        return absl::OkStatus();
      });
}

template <typename T>
absl::Status ConvInputGrad(Allocator& allocator, const ConvGeometry& g,
                           const T* filter, const T* out_grad, T* input_grad) {
  if (g.in_size() == 0) return absl::OkStatus();
  const bool strided = g.height.stride > 1 || g.width.stride > 1;
  if (!IsPointwise(g) && !strided && IsDirect<T>(g, g.width.input)) {
    return DirectInputGrad(allocator, g, filter, out_grad, input_grad);
  }
  return ForEachProduct<T>(
      allocator, g, [&](int64_t i, int64_t count, T* columns) {
        const int64_t row = count * g.out_pixels();
        T* const to = input_grad + i * g.in_size();
        const T* grad = out_grad + i * g.out_size();
        if (count > 1) {
          T* const grads = columns + g.taps() * row;
          PutTogether(grad, count, g.out_channels, g.out_pixels(), grads);
          grad = grads;
        }
        const bool in_place = count == 1 && IsPointwise(g);
        const GemmProduct<T> product{
            {filter + i % g.groups * g.filter_size(), 1, g.taps()},
            {grad, row, 1},
            in_place ? to : columns};
        SY_RETURN_IF_ERROR(Gemm(allocator, g.taps(), row, g.out_channels,
                                absl::MakeConstSpan(&product, 1)));
        if (in_place) return absl::OkStatus();
        if (IsPointwise(g)) {
          TakeApart(columns, count, g.in_channels, g.in_pixels(), to);
          return absl::OkStatus();
        }
        for (int64_t n = 0; n < count; ++n) {
          Fold(g, columns + n * g.out_pixels(), row, to + n * g.in_size());
        }
        return absl::OkStatus();
      });
}

template <typename T>
absl::Status ConvFilterGrad(Allocator& allocator, const ConvGeometry& g,
                            const T* input, const T* out_grad, T* filter_grad) {
  const int64_t size = g.filter_size();
  const int64_t total = g.groups * size;
  if (total == 0) return absl::OkStatus();
  const bool direct = IsDirect<T>(g, g.width.output);
  const int64_t step = std::max<int64_t>(
      direct ? 1 : Together(g), (g.batch + kFilterParts - 1) / kFilterParts);
  const int64_t parts = ChunkCount(0, g.batch, step);
  SY_ASSIGN_OR_RETURN(
      const RefPtr<Buffer> sums,
      AllocateElements<T>(allocator, CheckedMultiply(total, parts)));
  T* const part_sums = static_cast<T*>(sums->data());
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

// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conv/conv_direct.h"

#include <cstring>

namespace switchyard::phi::kernels::cpu {
namespace {

// How far the windows of an axis reach, from the first padded element.
int64_t Reach(const WindowAxis& axis) {
  return (axis.output - 1) * axis.stride + (axis.kernel - 1) * axis.dilation +
         1;
}

int64_t PhaseExtent(const WindowAxis& axis) {
  return (Reach(axis) + axis.stride - 1) / axis.stride;
}

// Returns the number of the stride's phases that a filter's taps fall on.
int64_t PhaseCount(const WindowAxis& axis) {
  return std::min(axis.stride, (axis.kernel - 1) * axis.dilation + 1);
}

// As std::copy, for rows so short that the call of memmove would count.
template <typename T>
void CopyRow(const T* from, int64_t count, T* to) {
  constexpr int64_t kBlock = 32 / sizeof(T);
  if (count < kBlock) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
    return;
  }
  for (int64_t i = 0; i + kBlock < count; i += kBlock) {
    std::memcpy(to + i, from + i, kBlock * sizeof(T));
  }
  const int64_t last = count - kBlock;
  std::memcpy(to + last, from + last, kBlock * sizeof(T));
}

std::optional<int64_t> Product(std::initializer_list<int64_t> factors) {
  std::optional<int64_t> product = 1;
  for (int64_t factor : factors) {
    product = product ? CheckedMultiply(*product, factor) : std::nullopt;
  }
  return product;
}

// The convolution that yields input_grad of g from out_grad: strides are 1.
ConvGeometry Transposed(const ConvGeometry& g) {
  ConvGeometry t = g;
  std::swap(t.in_channels, t.out_channels);
  for (WindowAxis ConvGeometry::*member :
       {&ConvGeometry::height, &ConvGeometry::width}) {
    const WindowAxis& from = g.*member;
    WindowAxis& to = t.*member;
    to.input = from.output;
    to.output = from.input;
    // Negative where there is more padding than the filter reaches: rows of
    // out_grad that saw nothing but padding are skipped.
    to.before = (from.kernel - 1) * from.dilation - from.before;
  }
  return t;
}

// [out][in][kh][kw] as [in][out] of turned filters.
template <typename T>
void TurnFilter(const ConvGeometry& g, const T* filter, T* turned) {
  const int64_t taps = g.height.kernel * g.width.kernel;
  for (int64_t o = 0; o < g.out_channels; ++o) {
    for (int64_t c = 0; c < g.in_channels; ++c, filter += taps) {
      T* to = turned + (c * g.out_channels + o) * taps;
      std::reverse_copy(filter, filter + taps, to);
    }
  }
}

// How many rows of results are made at once: the padded rows that they see stay
// in the second cache, and there is work for a team even of one image.
int64_t RowsOfBand(const ConvGeometry& g, int64_t lanes) {
  constexpr int64_t kBandElements = 1 << 15;
  constexpr int64_t kFewestRows = 4, kManyBands = 8;
  ConvGeometry band = g;
  int64_t& rows = band.height.output;
  while (rows > kFewestRows) {
    const auto size = PaddedImage(band, lanes).size();
    const bool many = g.batch * g.groups * g.height.output >= kManyBands * rows;
    if (many && size && *size <= kBandElements) break;
    rows = (rows + 1) / 2;
  }
  return rows;
}

// Convolves every image, band after band of rows, with filters that are packed
// already.
template <typename T>
absl::Status RunPacked(Allocator& allocator, const ConvGeometry& g,
                       const T* input, const T* packed, T* out) {
  const int64_t lanes = ConvLanes<T>();
  ConvGeometry band = g;
  const int64_t band_rows = band.height.output = RowsOfBand(g, lanes);
  const PaddedImage padded(band, lanes);
  const std::vector<int64_t> offsets = padded.Offsets();
  const std::vector<RowVector> vectors = padded.Vectors(g.width.output);
  const int64_t row_vectors = (g.width.output + lanes - 1) / lanes;
  const int64_t bands = (g.height.output + band_rows - 1) / band_rows;
  const bool plane = IsPlane(g);
  return ForEachWithWorkspace<T>(
      allocator, g.batch * g.groups * bands, band.grain(), padded.size(),
      [&](int64_t task, T* workspace, bool fresh) {
        const int64_t i = task / bands;
        const int64_t y = task % bands * band_rows;
        const int64_t rows = std::min(band_rows, g.height.output - y);
        padded.Fill(input + i * g.in_size(), y, fresh, workspace);
        if (plane) {
          RunConvPlane<T>({workspace, padded.columns(),
                           packed + i % g.groups * g.filter_size(),
                           g.height.kernel, g.width.kernel,
                           out + i * g.out_size() + y * g.width.output, rows,
                           g.width.output});
          return absl::OkStatus();
        }
        RunConvRows<T>(
            {workspace, offsets,
             absl::MakeConstSpan(vectors.data(), rows * row_vectors),
             g.out_channels, out + i * g.out_size() + y * g.width.output,
             g.out_pixels()},
            packed + i % g.groups * g.filter_size());
        return absl::OkStatus();
      });
}

}  // namespace

bool IsPlane(const ConvGeometry& g) {
  return g.in_channels == 1 && g.out_channels == 1 && g.height.stride == 1 &&
         g.width.stride == 1 && g.height.dilation == 1 &&
         g.width.dilation == 1 && IsPlaneKernel(g.height.kernel);
}

PaddedImage::PaddedImage(const ConvGeometry& g, int64_t lanes)
    : g_(g),
      lanes_(lanes),
      row_phases_(PhaseCount(g.height)),
      column_phases_(PhaseCount(g.width)),
      rows_(PhaseExtent(g.height)),
      columns_(PhaseExtent(g.width)) {
  size_ =
      Product({g.in_channels, row_phases_, column_phases_, rows_, columns_});
  if (size_) size_ = CheckedAdd(*size_, lanes);
}

PaddedImage::Phase PaddedImage::GetPhase(int64_t b) const {
  const WindowAxis& w = g_.width;
  const int64_t shift = b - w.before;
  const auto up = [&](int64_t x) {
    return x <= 0 ? 0 : (x + w.stride - 1) / w.stride;
  };
  const int64_t first = std::min(columns_, up(-shift));
  const int64_t last = std::min(columns_, up(w.input - shift));
  return {shift, first, std::max(first, last)};
}

template <typename T>
void PaddedImage::FillRow(const T* row, absl::Span<const Phase> phases,
                          bool fresh, T* padded) const {
  const int64_t stride = g_.width.stride;
  // Columns that are done: those that both of two phases have.
  int64_t begin = 0, end = 0;
  if (phases.size() == 2) {
    begin = std::max(phases[0].first, phases[1].first);
    end = std::max(begin, std::min(phases[0].last, phases[1].last));
    SplitPairs(row + phases[0].shift + 2 * begin, end - begin, padded + begin,
               padded + plane() + begin);
  }
  for (const Phase& phase : phases) {
    const T* from = row + phase.shift;
    if (fresh) std::fill_n(padded, phase.first, T{0});
    if (stride == 1) {
      CopyRow(from + phase.first, phase.last - phase.first,
              padded + phase.first);
    } else {
      for (int64_t x = phase.first; x < phase.last; ++x) {
        if (x == begin) x = end;
        if (x < phase.last) padded[x] = from[x * stride];
      }
    }
    if (fresh) {
      std::fill_n(padded + phase.last, columns_ - phase.last, T{0});
    }
    padded += plane();
  }
}

template <typename T>
void PaddedImage::Fill(const T* image, int64_t first_row, bool fresh,
                       T* padded) const {
  const WindowAxis& h = g_.height;
  // Phases that are written together: of every line of the image all is used.
  const int64_t together = g_.width.stride == 2 ? column_phases_ : 1;
  for (int64_t c = 0; c < g_.in_channels; ++c, image += g_.in_pixels()) {
    for (int64_t b = 0; b < column_phases_; b += together) {
      const Phase phases[] = {GetPhase(b), GetPhase(b + 1)};
      // In the order in which the image's rows lie in memory.
      for (int64_t r = 0; r < rows_; ++r) {
        for (int64_t a = 0; a < row_phases_; ++a) {
          const int64_t y = (r + first_row) * h.stride + a - h.before;
          T* const to =
              padded + (a * column_phases_ + b) * plane() + r * columns_;
          if (y >= 0 && y < h.input) {
            FillRow(image + y * g_.width.input,
                    absl::MakeConstSpan(phases, together), fresh, to);
            continue;
          }
          for (int64_t i = 0; i < together; ++i) {
            std::fill_n(to + i * plane(), columns_, T{0});
          }
        }
      }
    }
    padded += row_phases_ * column_phases_ * plane();
  }
  std::fill_n(padded, lanes_, T{0});
}

std::vector<int64_t> PaddedImage::Offsets() const {
  const WindowAxis &h = g_.height, &w = g_.width;
  std::vector<int64_t> offsets;
  offsets.reserve(g_.taps());
  for (int64_t c = 0; c < g_.in_channels; ++c) {
    const int64_t channel = c * row_phases_ * column_phases_ * plane();
    for (int64_t kh = 0; kh < h.kernel; ++kh) {
      const int64_t y = kh * h.dilation;
      for (int64_t kw = 0; kw < w.kernel; ++kw) {
        const int64_t x = kw * w.dilation;
        const int64_t phase = y % h.stride * column_phases_ + x % w.stride;
        offsets.push_back(channel + phase * plane() + y / h.stride * columns_ +
                          x / w.stride);
      }
    }
  }
  return offsets;
}

std::vector<RowVector> PaddedImage::Vectors(int64_t row) const {
  std::vector<RowVector> vectors;
  for (int64_t y = 0; y < g_.height.output; ++y) {
    for (int64_t x = 0; x < g_.width.output; x += lanes_) {
      vectors.push_back({y * columns_ + x, y * row + x,
                         std::min(lanes_, g_.width.output - x)});
    }
  }
  return vectors;
}

template <typename T>
absl::Status DirectForward(Allocator& allocator, const ConvGeometry& g,
                           const T* input, const T* filter, T* out) {
  SY_ASSIGN_OR_RETURN(
      const RefPtr<Buffer> buffer,
      AllocateElements<T>(allocator, g.groups * g.filter_size()));
  T* const packed = static_cast<T*>(buffer->data());
  for (int64_t group = 0; group < g.groups; ++group) {
    const int64_t at = group * g.filter_size();
    PackConvFilter(filter + at, g.out_channels, g.taps(), packed + at);
  }
  return RunPacked(allocator, g, input, packed, out);
}

template <typename T>
absl::Status DirectInputGrad(Allocator& allocator, const ConvGeometry& g,
                             const T* filter, const T* out_grad,
                             T* input_grad) {
  const ConvGeometry t = Transposed(g);
  SY_ASSIGN_OR_RETURN(
      const RefPtr<Buffer> buffer,
      AllocateElements<T>(allocator, (g.groups + 1) * g.filter_size()));
  T* const packed = static_cast<T*>(buffer->data());
  T* const turned = packed + g.groups * g.filter_size();
  for (int64_t group = 0; group < g.groups; ++group) {
    const int64_t at = group * g.filter_size();
    TurnFilter(g, filter + at, turned);
    PackConvFilter(turned, t.out_channels, t.taps(), packed + at);
  }
  return RunPacked(allocator, t, out_grad, packed, input_grad);
}

template <typename T>
absl::Status DirectFilterGrad(Allocator& allocator, const ConvGeometry& g,
                              int64_t group, int64_t begin, int64_t end,
                              const T* input, const T* out_grad, T* sums) {
  const int64_t lanes = ConvLanes<T>();
  const PaddedImage padded(g, lanes);
  const std::vector<int64_t> offsets = padded.Offsets();
  const int64_t row = (g.width.output + lanes - 1) / lanes * lanes;
  const int64_t plane = g.height.output * row;
  const std::vector<RowVector> one = padded.Vectors(row);
  // Several images at once, so that sums stay long in registers.
  constexpr int64_t kVectors = 128;
  const int64_t at_once = std::max<int64_t>(
      1, std::min(end - begin, kVectors / static_cast<int64_t>(one.size())));
  const auto image_size = padded.size();
  const int64_t grad_size = g.out_channels * plane;
  const auto both =
      image_size ? CheckedAdd(*image_size, grad_size) : std::nullopt;
  SY_ASSIGN_OR_RETURN(
      const RefPtr<Buffer> buffer,
      AllocateElements<T>(
          allocator, both ? CheckedMultiply(*both, at_once) : std::nullopt));
  T* const images = static_cast<T*>(buffer->data());
  T* const grads = images + at_once * *image_size;
  std::fill_n(grads, at_once * grad_size, T{0});
  std::vector<RowVector> vectors;
  for (int64_t k = 0; k < at_once; ++k) {
    for (RowVector vector : one) {
      vector.image += k * *image_size;
      vector.result += k * grad_size;
      vectors.push_back(vector);
    }
  }
  for (int64_t n = begin; n < end; n += at_once) {
    const int64_t count = std::min(at_once, end - n);
    for (int64_t k = 0; k < count; ++k) {
      const int64_t i = (n + k) * g.groups + group;
      padded.Fill(input + i * g.in_size(), 0, n == begin,
                  images + k * *image_size);
      const T* from = out_grad + i * g.out_size();
      T* to = grads + k * grad_size;
      for (int64_t r = 0; r < g.out_channels * g.height.output; ++r) {
        std::copy_n(from + r * g.width.output, g.width.output, to + r * row);
      }
    }
    AddConvFilterRows<T>(
        {images, offsets,
         absl::MakeConstSpan(vectors.data(), count * one.size()), grads,
         g.out_channels, plane},
        sums);
  }
  return absl::OkStatus();
}

#define SY_CONV_DIRECT(T)                                                    \
  template absl::Status DirectForward<T>(Allocator&, const ConvGeometry&,    \
                                         const T*, const T*, T*);            \
  template absl::Status DirectInputGrad<T>(Allocator&, const ConvGeometry&,  \
                                           const T*, const T*, T*);          \
  template absl::Status DirectFilterGrad<T>(Allocator&, const ConvGeometry&, \
                                            int64_t, int64_t, int64_t,       \
                                            const T*, const T*, T*)
SY_CONV_DIRECT(float);
SY_CONV_DIRECT(double);
#undef SY_CONV_DIRECT

}  // namespace switchyard::phi::kernels::cpu

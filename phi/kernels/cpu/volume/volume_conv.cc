// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/volume/volume_conv.h"

#include <algorithm>

#include "framework/base/checked_math.h"
#include "phi/kernels/cpu/gemm/gemm.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// Elements of columns at a time, unless one slice of windows has more.
constexpr int64_t kMaxColumns = 1 << 20;

// The working memory of a convolution: columns, and results or their gradients
// [out_channels, windows], of `slices` slices.
template <typename T>
struct Columns {
  int64_t slices = 1;
  int64_t rows = 0;
  Workspace<T> columns, results;

  static absl::StatusOr<Columns> Make(Allocator& allocator,
                                      const VolumeConv& conv) {
    Columns made;
    const auto rows = CheckedMultiply(conv.in_channels, conv.windows.taps());
    const auto one =
        rows ? CheckedMultiply(*rows, conv.windows.slice()) : std::nullopt;
    if (!one) {
      return SizeError("filter", "such that the windows fit in memory", "more");
    }
    made.rows = *rows;
    made.slices = std::clamp<int64_t>(
        *one == 0 ? conv.windows.axes[0].output : kMaxColumns / *one, 1,
        std::max<int64_t>(1, conv.windows.axes[0].output));
    const auto all = CheckedMultiply(*one, made.slices);
    const auto results =
        CheckedMultiply(conv.out_channels, made.slices * conv.windows.slice());
    if (!all || !results) {
      return SizeError("filter", "such that the windows fit in memory", "more");
    }
    SY_ASSIGN_OR_RETURN(made.columns, Workspace<T>::Make(allocator, *all));
    SY_ASSIGN_OR_RETURN(made.results, Workspace<T>::Make(allocator, *results));
    return made;
  }
};

// Calls visit(item, group, first slice, last slice) for all parts in order.
template <typename T, typename Visit>
absl::Status ForEachPart(const VolumeConv& conv, const Columns<T>& work,
                         const Visit& visit) {
  const int64_t slices = conv.windows.axes[0].output;
  for (int64_t n = 0; n < conv.output.batch; ++n) {
    for (int64_t g = 0; g < conv.groups; ++g) {
      for (int64_t z = 0; z < slices; z += work.slices) {
        SY_RETURN_IF_ERROR(visit(n, g, z, std::min(z + work.slices, slices)));
      }
    }
  }
  return absl::OkStatus();
}

// Copies between `rows` [out_channels, windows of some slices] and the output
// of a group, which begins at `output`.
template <bool kToOutput, typename T, typename Output>
void CopyResults(const VolumeConv& conv, int64_t first, int64_t last, T* rows,
                 Output* output) {
  const int64_t slice = conv.windows.slice();
  const int64_t count = (last - first) * slice;
  const int64_t step = conv.output.strides[2];
  Output* from = output + first * conv.output.strides[0];
  for (int64_t c = 0; c < conv.out_channels; ++c) {
    Output* line = from + c * conv.output.channel_stride;
    T* row = rows + c * count;
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (kToOutput) {
        line[i * step] = row[i];
      } else {
        row[i] = line[i * step];
      }
    }
  }
}

// Where a group of an item begins.
template <typename T>
T* GroupOf(const VolumeTensor& tensor, T* data, int64_t n, int64_t channel) {
  return data + n * tensor.batch_stride + channel * tensor.channel_stride;
}

}  // namespace

template <typename T>
absl::Status ConvVolume(Allocator& allocator, const VolumeConv& conv,
                        const T* input, const T* filter, T* output) {
  SY_ASSIGN_OR_RETURN(const auto work, Columns<T>::Make(allocator, conv));
  return ForEachPart(
      conv, work, [&](int64_t n, int64_t g, int64_t first, int64_t last) {
        const int64_t count = (last - first) * conv.windows.slice();
        UnrollVolume(conv.input, conv.windows, conv.in_channels, first, last,
                     GroupOf(conv.input, input, n, g * conv.in_channels),
                     work.columns.data());
        const GemmProduct<T> product = {
            {filter + g * conv.out_channels * work.rows, work.rows, 1},
            {work.columns.data(), count, 1},
            work.results.data()};
        SY_RETURN_IF_ERROR(Gemm(allocator, conv.out_channels, count, work.rows,
                                {&product, 1}));
        CopyResults<true>(
            conv, first, last, work.results.data(),
            GroupOf(conv.output, output, n, g * conv.out_channels));
        return absl::OkStatus();
      });
}

template <typename T>
absl::Status ConvVolumeInputGrad(Allocator& allocator, const VolumeConv& conv,
                                 const T* filter, const T* output_grad,
                                 T* input_grad) {
  SY_ASSIGN_OR_RETURN(const auto work, Columns<T>::Make(allocator, conv));
  std::fill_n(input_grad,
              conv.input.batch * conv.input.channels * conv.input.pixels(),
              T{0});
  return ForEachPart(
      conv, work, [&](int64_t n, int64_t g, int64_t first, int64_t last) {
        const int64_t count = (last - first) * conv.windows.slice();
        CopyResults<false>(
            conv, first, last, work.results.data(),
            GroupOf(conv.output, output_grad, n, g * conv.out_channels));
        const GemmProduct<T> product = {
            {filter + g * conv.out_channels * work.rows, 1, work.rows},
            {work.results.data(), count, 1},
            work.columns.data()};
        SY_RETURN_IF_ERROR(Gemm(allocator, work.rows, count, conv.out_channels,
                                {&product, 1}));
        AddColumns(conv.input, conv.windows, conv.in_channels, first, last,
                   work.columns.data(),
                   GroupOf(conv.input, input_grad, n, g * conv.in_channels));
        return absl::OkStatus();
      });
}

template <typename T>
absl::Status ConvVolumeFilterGrad(Allocator& allocator, const VolumeConv& conv,
                                  const T* input, const T* output_grad,
                                  T* filter_grad) {
  SY_ASSIGN_OR_RETURN(const auto work, Columns<T>::Make(allocator, conv));
  const int64_t size = conv.out_channels * work.rows;
  SY_ASSIGN_OR_RETURN(const auto part, Workspace<T>::Make(allocator, size));
  std::fill_n(filter_grad, conv.groups * size, T{0});
  return ForEachPart(
      conv, work, [&](int64_t n, int64_t g, int64_t first, int64_t last) {
        const int64_t count = (last - first) * conv.windows.slice();
        UnrollVolume(conv.input, conv.windows, conv.in_channels, first, last,
                     GroupOf(conv.input, input, n, g * conv.in_channels),
                     work.columns.data());
        CopyResults<false>(
            conv, first, last, work.results.data(),
            GroupOf(conv.output, output_grad, n, g * conv.out_channels));
        const GemmProduct<T> product = {{work.results.data(), count, 1},
                                        {work.columns.data(), 1, count},
                                        part.data()};
        SY_RETURN_IF_ERROR(Gemm(allocator, conv.out_channels, work.rows, count,
                                {&product, 1}));
        T* sums = filter_grad + g * size;
        for (int64_t i = 0; i < size; ++i) sums[i] += part.data()[i];
        return absl::OkStatus();
      });
}

#define SY_CONV_VOLUME(T)                                                   \
  template absl::Status ConvVolume(Allocator&, const VolumeConv&, const T*, \
                                   const T*, T*);                           \
  template absl::Status ConvVolumeInputGrad(Allocator&, const VolumeConv&,  \
                                            const T*, const T*, T*);        \
  template absl::Status ConvVolumeFilterGrad(Allocator&, const VolumeConv&, \
                                             const T*, const T*, T*);
SY_CONV_VOLUME(float)
SY_CONV_VOLUME(double)
#undef SY_CONV_VOLUME

}  // namespace switchyard::phi::kernels::cpu

// SPDX-License-Identifier: Apache-2.0
#include "conv.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>

#include "launch.h"

namespace {

using sy::plugin::Call;
using sy::plugin::Input;
using Two = std::array<cl_long, 2>;
using Four = std::array<cl_long, 4>;

// A block of memory for one kernel. What is enqueued keeps it.
class Scratch {
 public:
  explicit Scratch(int64_t bytes) {
    cl_int error = CL_SUCCESS;
    buffer_ = clCreateBuffer(OpenCl::Get().context, CL_MEM_READ_WRITE,
                             static_cast<size_t>(bytes), nullptr, &error);
    if (error != CL_SUCCESS) throw std::bad_alloc();
  }
  ~Scratch() { clReleaseMemObject(buffer_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  Span span() const { return {buffer_, 0}; }

 private:
  cl_mem buffer_;
};

Two PairAttr(const Call& call, int attr) {
  return {call.attr_int_at(attr, 0), call.attr_int_at(attr, 1)};
}

// The sizes of a convolution, of images as NCHW or as NHWC has them; along
// height and width what goes before the data and how large results are.
struct Windows {
  bool channels_last;
  Two sizes, results, window, strides, before, dilations;
  int64_t channels;

  explicit Windows(const Call& call)
      : channels_last(call.attr_is(5, "NHWC")),
        strides(PairAttr(call, 0)),
        dilations(call.attr_count(3) == 0 ? Two{1, 1} : PairAttr(call, 3)) {
    const Input x = call.input(0), filter = call.input(1);
    const int64_t count = call.attr_count(1);
    channels = x.extent(channels_last ? 3 : 1);
    for (int i : {0, 1}) {
      sizes[i] = x.extent((channels_last ? 1 : 2) + i);
      window[i] = filter.extent(2 + i);
      cl_long around = 0;
      if (call.attr_is(2, "SAME")) {
        dilations[i] = 1;
        const cl_long last = (sizes[i] - 1) / strides[i] * strides[i];
        around = std::max<cl_long>(0, last + window[i] - sizes[i]);
        before[i] = around / 2;
      } else if (call.attr_is(2, "VALID")) {
        before[i] = 0;
      } else {
        // One number an axis, or one for each of its sides.
        before[i] = call.attr_int_at(1, count == 4 ? 2 * i : i);
        around = before[i] + call.attr_int_at(1, count == 4 ? 2 * i + 1 : i);
      }
      const cl_long reach = dilations[i] * (window[i] - 1) + 1;
      results[i] = (sizes[i] + around - reach) / strides[i] + 1;
    }
  }

  int64_t pixels() const { return results[0] * results[1]; }
  // The elements that one result is the sum of.
  int64_t lines() const { return channels * window[0] * window[1]; }
};

// Writes each image's windows: a line for each element of the filter, in which
// pixels follow one another, or a row for each pixel where channels are last.
void Unfold(Call& call, const Windows& w, int64_t images, const Span& columns) {
  const cl_long pixels = w.pixels(), lines = w.lines();
  const Two& size = w.sizes;
  const Four of_x = w.channels_last ? Four{size[0] * size[1] * w.channels, 1,
                                           size[1] * w.channels, w.channels}
                                    : Four{size[0] * size[1] * w.channels,
                                           size[0] * size[1], size[1], 1};
  const Two of_columns = w.channels_last ? Two{1, lines} : Two{pixels, 1};
  Launch(call, "im2col")
      .Tensor(call.input(0).data<void>())
      .At(columns)
      .Value(of_x)
      .Value(Four{size[0], size[1], w.results[0], w.results[1]})
      .Value(w.window)
      .Value(w.strides)
      .Value(w.before)
      .Value(w.dilations)
      .Value(of_columns)
      .Run(pixels, lines, images);
}

}  // namespace

// The windows times the filter, as matrices.
void Conv2d(Call& call) {
  const Windows w(call);
  const int64_t images = call.input(0).extent(0);
  const int64_t channels = call.input(1).extent(0);
  const cl_long pixels = w.pixels(), lines = w.lines();
  const void* const filter = call.input(1).data<void>();
  const Scratch columns(images * lines * pixels * int64_t{sizeof(cl_float)});
  Unfold(call, w, images, columns.span());
  if (w.channels_last) {
    Launch(call, "matmul")
        .At(columns.span())
        .Tensor(filter)
        .Tensor(call.output<void>(0))
        .Value(static_cast<cl_long>(channels))
        .Value(lines)
        .Value(Two{lines, 1})
        .Value(Two{1, lines})
        .Value(cl_long{0})
        .Run(channels, images * pixels);
    return;
  }
  Launch(call, "matmul")
      .Tensor(filter)
      .At(columns.span())
      .Tensor(call.output<void>(0))
      .Value(pixels)
      .Value(lines)
      .Value(Two{lines, 1})
      .Value(Two{pixels, 1})
      .Value(lines * pixels)
      .Run(pixels, channels, images);
}

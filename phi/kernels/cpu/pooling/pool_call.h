// SPDX-License-Identifier: Apache-2.0
// A call of pool2d or of one of its gradients, resolved: where the planes of x
// and out lie, and which windows there are (pool_windows.h).
#ifndef SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_CALL_H_
#define SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_CALL_H_

#include <algorithm>
#include <string_view>
#include <utility>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/cpu/pooling/pool_windows.h"

namespace switchyard::phi::kernels::cpu {

// Where the elements of a plane lie: `row` from one row to the next.
struct PlaneStrides {
  int64_t row, column;
};

// An image tensor as planes, numbered n * channels + c, in whichever order its
// axes lie in memory. A block of channels counts as an image of its own, with
// its channels last.
class Planes {
 public:
  Planes(const DenseTensor& x, std::string_view data_format) {
    if (x.layout().strided()) {
      last_ = data_format == "NHWC";
      SetAxes(x.shape(), x.strides());
      return;
    }
    Shape memory = *ShapeInMemory(x.layout(), x.shape());
    last_ = memory.rank() == 5;
    if (last_) {
      memory = Shape({memory.extent(0) * memory.extent(1), memory[2], memory[3],
                      memory[4]});
    }
    SetAxes(memory, ContiguousStrides(memory));
  }

  int64_t count() const { return images_ * channels_; }
  int64_t images() const { return images_; }
  int64_t channels() const { return channels_; }
  bool channels_last() const { return last_; }
  int64_t extent(int axis) const { return extents_[axis]; }
  PlaneStrides strides() const { return strides_; }
  // The positions of the first element of a plane, and of an image.
  int64_t begin(int64_t plane) const {
    return image(plane / channels_) + plane % channels_ * channel_stride_;
  }
  int64_t image(int64_t n) const { return n * batch_stride_; }

 private:
  void SetAxes(const Shape& shape, const Strides& strides) {
    const int height = last_ ? 1 : 2, channel = last_ ? 3 : 1;
    images_ = shape.extent(0);
    channels_ = shape.extent(channel);
    batch_stride_ = strides[0];
    channel_stride_ = strides[channel];
    extents_[0] = shape.extent(height);
    extents_[1] = shape.extent(height + 1);
    strides_ = {strides[height], strides[height + 1]};
  }

  bool last_;
  int64_t images_, channels_, batch_stride_, channel_stride_;
  PlaneStrides strides_;
  int64_t extents_[2];
};

// All that the three kernels know of a call.
struct PoolCall {
  Planes x, out;
  PoolWindows windows;
  bool max;

  // Largest elements of tiles of 2 x 2 in rows of adjacent elements.
  bool tiles() const {
    return max && windows.tiles && x.strides().column == 1 &&
           out.strides().column == 1;
  }
  // Planes a chunk.
  int64_t grain() const {
    const int64_t pixels = std::max<int64_t>(1, x.extent(0) * x.extent(1));
    return std::max<int64_t>(1, (1 << 14) / pixels);
  }
};

// Makes a call from checked attributes.
inline absl::StatusOr<PoolCall> MakePoolCall(
    const DenseTensor& x, const DenseTensor& out,
    absl::Span<const int64_t> kernel_size, const WindowAttrs& attrs,
    bool ceil_mode, bool exclusive, std::string_view data_format,
    std::string_view pooling_type, bool global_pooling, bool adaptive) {
  const Planes planes(x, data_format);
  SY_ASSIGN_OR_RETURN(
      PoolWindows windows,
      MakeWindows({planes.extent(0), planes.extent(1)}, kernel_size, attrs,
                  ceil_mode, exclusive, global_pooling, adaptive));
  return PoolCall{planes, Planes(out, data_format), std::move(windows),
                  pooling_type == "max"};
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_CALL_H_

// SPDX-License-Identifier: Apache-2.0
// Image tensors of format "NHWC" for kernels that know "NCHW" only: an input is
// read from a copy, a result is copied back when it is complete.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_CHANNELS_FIRST_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_CHANNELS_FIRST_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/device/device_context.h"
#include "phi/kernels/cpu/data_movement/strided_copy.h"

namespace switchyard::phi::kernels::cpu {

inline Shape ChannelsFirstShape(const Shape& s) {
  return Shape({s[0], s[3], s[1], s[2]});
}

// A contiguous [batch, channels, height, width] tensor of the elements of x.
inline absl::StatusOr<DenseTensor> ChannelsFirst(const DeviceContext& context,
                                                 const DenseTensor& x) {
  DenseTensor copy;
  copy.SetMeta(x.dtype(), ChannelsFirstShape(x.shape()), x.place());
  SY_RETURN_IF_ERROR(context.Allocate(&copy));
  const Strides& s = x.strides();
  CopyStrided(SizeOf(x.dtype()), copy.shape(), x.raw_data(),
              Strides{s[0], s[3], s[1], s[2]},
              const_cast<void*>(copy.raw_data()), copy.strides());
  return copy;
}

// A result in channels-first order: `out` itself, or memory that Finish copies
// to `out`.
class ChannelsFirstResult {
 public:
  ChannelsFirstResult(DenseTensor* out, std::string_view data_format)
      : out_(out), copied_(data_format == "NHWC") {}

  absl::Status Prepare(const DeviceContext& context) {
    if (!copied_) return absl::OkStatus();
    own_.SetMeta(out_->dtype(), ChannelsFirstShape(out_->shape()),
                 out_->place());
    return context.Allocate(&own_);
  }
  DenseTensor& tensor() { return copied_ ? own_ : *out_; }
  void Finish() {
    if (!copied_) return;
    const Strides& s = out_->strides();
    CopyStrided(SizeOf(out_->dtype()), own_.shape(), own_.raw_data(),
                own_.strides(), const_cast<void*>(out_->raw_data()),
                Strides{s[0], s[3], s[1], s[2]});
  }

 private:
  DenseTensor* out_;
  bool copied_;
  DenseTensor own_;
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_CHANNELS_FIRST_H_

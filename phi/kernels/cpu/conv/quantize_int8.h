// SPDX-License-Identifier: Apache-2.0
// quantize_int8 on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONV_QUANTIZE_INT8_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONV_QUANTIZE_INT8_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/image_layouts.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conv/int8_rows.h"

namespace switchyard::phi::kernels::cpu {

// An image with one factor has its channels last, as convolutions of integers
// take them: integers are slower to reorder than what they are made from. All
// else is strided. Chosen as late as these are, so that reorders cancel.
template <typename S>
absl::Status QuantizeInt8Layouts(const LayoutCall& call,
                                 TensorLayouts* layouts) {
  constexpr int kImageRank = 4;
  TakeStrided(layouts);
  bool one = true;
  for (const Dim dim : call.inputs[S::kFactor]->dims()) {
    one = one && dim == Dim(1);
  }
  if (!one || call.inputs[S::kX]->rank() != kImageRank) return absl::OkStatus();
  layouts->inputs[S::kX] = ChannelsInnermost();
  layouts->outputs[S::kOut] = ChannelsInnermost();
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kQuantizeInt8Spec = KernelSpec<S>()
                                              .Output(S::kOut,
                                                      Fixed(DataType::kInt8))
                                              .Layouts(DataLayout::kBlocked,
                                                       &QuantizeInt8Layouts<S>);
template <typename T>
absl::Status QuantizeInt8Kernel(const CpuContext&, const DenseTensor& x,
                                const DenseTensor& factor, DenseTensor* out) {
  const int64_t slices = factor.numel() == 1 ? 1 : factor.numel();
  const int64_t row = slices == 0 ? 0 : x.numel() / slices;
  const T* const from = x.data<T>();
  const T* const factors = factor.data<T>();
  int8_t* const to = out->mutable_data<int8_t>();
  constexpr int64_t kElementsOfAChunk = 1 << 15;
  for (int64_t i = 0; i < slices; ++i) {
    ParallelFor(0, row, kElementsOfAChunk, [&](int64_t begin, int64_t end) {
      QuantizeRow(from + i * row + begin, factors[i], end - begin,
                  to + i * row + begin);
    });
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONV_QUANTIZE_INT8_H_

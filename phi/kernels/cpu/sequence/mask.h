// SPDX-License-Identifier: Apache-2.0
// sequence_mask on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_MASK_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_MASK_H_

#include <algorithm>
#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/data_type.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// y: x's shape and after it maxlen (negative: the greatest length), elements
// of which the first x[i] are 1 and the others 0.
template <typename T>
class SequenceMask {
 public:
  static absl::Status Run(const CpuContext& context, const DenseTensor& x,
                          int64_t maxlen, DataType out_dtype, DenseTensor* y) {
    const T* lengths = x.data<T>();
    if (maxlen < 0) {
      maxlen = 0;
      for (int64_t i = 0; i < x.numel(); ++i) {
        maxlen = std::max<int64_t>(maxlen, lengths[i]);
      }
    }
    Shape shape = x.shape();
    shape.push_back(maxlen);
    SY_RETURN_IF_ERROR(AllocateAnew(context, out_dtype, shape, y));
    switch (ElementSize(out_dtype)) {
      case 1:
        return Fill<uint8_t>(lengths, x.numel(), maxlen, 1, y);
      case 2:
        return Fill<uint16_t>(lengths, x.numel(), maxlen, OneIn16(out_dtype),
                              y);
      case 4:
        return out_dtype == DataType::kFloat32
                   ? Fill<float>(lengths, x.numel(), maxlen, 1, y)
                   : Fill<int32_t>(lengths, x.numel(), maxlen, 1, y);
      default:
        return out_dtype == DataType::kFloat64
                   ? Fill<double>(lengths, x.numel(), maxlen, 1, y)
                   : Fill<int64_t>(lengths, x.numel(), maxlen, 1, y);
    }
  }

 private:
  // The bits of 1 in a dtype of two bytes.
  static uint16_t OneIn16(DataType dtype) {
    if (dtype == DataType::kFloat16) return 0x3c00;
    return dtype == DataType::kBFloat16 ? 0x3f80 : 1;
  }

  template <typename Element>
  static absl::Status Fill(const T* lengths, int64_t count, int64_t maxlen,
                           Element one, DenseTensor* y) {
    auto* to = static_cast<Element*>(y->mutable_data<void>());
    for (int64_t i = 0; i < count; ++i) {
      const int64_t ones = std::clamp<int64_t>(lengths[i], 0, maxlen);
      to = std::fill_n(to, ones, one);
      to = std::fill_n(to, maxlen - ones, Element{0});
    }
    return absl::OkStatus();
  }
};

template <typename S>
inline constexpr auto kSequenceMaskSpec =
    KernelSpec<S>().Output(S::kY, SelfAllocated(AnyDtype()));
template <typename T>
absl::Status SequenceMaskKernel(const CpuContext& context, const DenseTensor& x,
                                int64_t maxlen, DataType out_dtype,
                                DenseTensor* y) {
  return SequenceMask<T>::Run(context, x, maxlen, out_dtype, y);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_MASK_H_

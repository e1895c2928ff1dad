// SPDX-License-Identifier: Apache-2.0
// float16 and bfloat16 tensors for kernels that compute in float32: read from a
// widened copy, written from one. For float32 and float64 there is no copy.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_WIDENED_TENSOR_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_WIDENED_TENSOR_H_

#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/parallel.h"
#include "framework/device/device_context.h"
#include "framework/types/float16.h"

namespace switchyard::phi::kernels::cpu {

template <typename T>
inline constexpr bool kIsHalf = sizeof(T) == 2;

// The type in which elements of T are computed.
template <typename T>
using ComputeType = std::conditional_t<kIsHalf<T>, float, T>;

inline constexpr int64_t kConversionGrain = 1 << 15;

template <typename From, typename To>
void ConvertElements(const From* from, int64_t count, To* to) {
  ParallelFor(0, count, kConversionGrain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
  });
}

// The elements of a contiguous tensor.
template <typename T>
class WidenedInput {
 public:
  using C = ComputeType<T>;

  absl::Status Read(const DeviceContext& context, const DenseTensor& x) {
    if constexpr (kIsHalf<T>) {
      SY_ASSIGN_OR_RETURN(buffer_,
                          context.allocator().Allocate(x.numel() * sizeof(C)));
      C* wide = static_cast<C*>(buffer_->data());
      ConvertElements(x.data<T>(), x.numel(), wide);
      data_ = wide;
    } else {
      data_ = x.data<T>();
    }
    return absl::OkStatus();
  }
  const C* data() const { return data_; }

 private:
  const C* data_ = nullptr;
  RefPtr<Buffer> buffer_;
};

// The elements of a result; Finish() puts them there.
template <typename T>
class WidenedResult {
 public:
  using C = ComputeType<T>;

  absl::Status Prepare(const DeviceContext& context, DenseTensor* out) {
    out_ = out;
    if constexpr (kIsHalf<T>) {
      SY_ASSIGN_OR_RETURN(
          buffer_, context.allocator().Allocate(out->numel() * sizeof(C)));
      data_ = static_cast<C*>(buffer_->data());
    } else {
      data_ = out->mutable_data<T>();
    }
    return absl::OkStatus();
  }
  C* data() const { return data_; }
  void Finish() {
    if constexpr (kIsHalf<T>) {
      ConvertElements(data_, out_->numel(), out_->mutable_data<T>());
    }
  }

 private:
  DenseTensor* out_ = nullptr;
  C* data_ = nullptr;
  RefPtr<Buffer> buffer_;
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_WIDENED_TENSOR_H_

// SPDX-License-Identifier: Apache-2.0
// Kernels of float16 and bfloat16 made of a float kernel, as in_float.h's, but
// some items of a batch at a time: what lies in float meanwhile does not grow
// with the batch. The shapes decide how many, so the bits don't depend on
// threads.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_ITEMS_IN_FLOAT_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_ITEMS_IN_FLOAT_H_

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/cpu/conversion/in_float.h"

namespace switchyard::phi::kernels::cpu {

// Elements of the first batched tensor that are widened at a time, if its items
// are not larger.
inline constexpr int64_t kFloatElements = 1 << 18;

// Allocates a float tensor for `count` of the items of `like`.
inline absl::Status AllocateItems(const CpuContext& context,
                                  const DenseTensor& like, int64_t count,
                                  DenseTensor* wide) {
  Shape shape = like.shape();
  shape[0] = Dim(count);
  SY_ASSIGN_OR_RETURN(
      *wide, DenseTensor::Allocate(DataType::kFloat32, shape,
                                   context.allocator(), like.layout()));
  return absl::OkStatus();
}

// The elements of an item in memory.
inline int64_t ItemSize(const DenseTensor& x) {
  return StoredElements(x) / std::max<int64_t>(1, x.extent(0));
}

// One parameter of a kernel: Open() once, Take() and Put() around each call,
// Close() at the end. `kItems` says that axis 0 of a tensor is the batch. Where
// it is not, a result is the sum of those of the calls.
template <typename T, typename P, bool kItems>
class ItemsArgument : public FloatArgument<T, P> {
 public:
  using FloatArgument<T, P>::FloatArgument;
  absl::Status Take(const CpuContext&, int64_t, int64_t) {
    return absl::OkStatus();
  }
  void Put() {}
};

template <typename T>
class ItemsArgument<T, const DenseTensor&, true> {
 public:
  explicit ItemsArgument(const DenseTensor& given) : given_(given) {}
  absl::Status Open(const CpuContext&) { return absl::OkStatus(); }
  absl::Status Take(const CpuContext& context, int64_t begin, int64_t count) {
    SY_RETURN_IF_ERROR(AllocateItems(context, given_, count, &wide_));
    WidenBuffer(given_.template data<T>() + begin * ItemSize(given_),
                StoredElements(wide_), wide_.mutable_data<float>());
    return absl::OkStatus();
  }
  const DenseTensor& get() { return wide_; }
  void Put() {}
  void Close() {}

 private:
  const DenseTensor& given_;
  DenseTensor wide_;
};

template <typename T>
class ItemsArgument<T, DenseTensor*, true> {
 public:
  explicit ItemsArgument(DenseTensor* given) : given_(given) {}
  absl::Status Open(const CpuContext&) { return absl::OkStatus(); }
  absl::Status Take(const CpuContext& context, int64_t begin, int64_t count) {
    begin_ = begin;
    return given_ == nullptr ? absl::OkStatus()
                             : AllocateItems(context, *given_, count, &wide_);
  }
  DenseTensor* get() { return given_ == nullptr ? nullptr : &wide_; }
  void Put() {
    if (given_ == nullptr) return;
    NarrowBuffer(
        wide_.data<float>(), StoredElements(wide_),
        given_->template mutable_data<T>() + begin_ * ItemSize(*given_));
  }
  void Close() {}

 private:
  DenseTensor* given_;
  int64_t begin_ = 0;
  DenseTensor wide_;
};

template <typename T>
class ItemsArgument<T, DenseTensor*, false> {
 public:
  explicit ItemsArgument(DenseTensor* given) : given_(given) {}
  absl::Status Open(const CpuContext& context) {
    if (given_ == nullptr) return absl::OkStatus();
    SY_RETURN_IF_ERROR(AllocateWide(context, *given_, &sum_));
    std::fill_n(sum_.mutable_data<float>(), StoredElements(sum_), 0.0f);
    return AllocateWide(context, *given_, &part_);
  }
  absl::Status Take(const CpuContext&, int64_t, int64_t) {
    return absl::OkStatus();
  }
  DenseTensor* get() { return given_ == nullptr ? nullptr : &part_; }
  void Put() {
    if (given_ == nullptr) return;
    float* const sum = sum_.mutable_data<float>();
    const float* const part = part_.data<float>();
    const int64_t count = StoredElements(sum_);
    for (int64_t i = 0; i < count; ++i) sum[i] += part[i];
  }
  void Close() {
    if (given_ == nullptr) return;
    NarrowBuffer(sum_.data<float>(), StoredElements(sum_),
                 given_->template mutable_data<T>());
  }

 private:
  DenseTensor* given_;
  DenseTensor sum_, part_;
};

// The kernel of dtype T that calls `kernel`, one of float. The first parameter
// is a tensor with a batch; bit i of `kBatched` is set where parameter i is. A
// field of a struct of arguments counts as a parameter.
template <typename T, auto kernel, uint32_t kBatched>
struct ItemsInFloat;

template <typename T, uint32_t kBatched, typename... P,
          absl::Status (*kernel)(const CpuContext&, P...)>
struct ItemsInFloat<T, kernel, kBatched> {
  static_assert(kBatched % 2 == 1, "the first parameter has the batch");

  static absl::Status Run(const CpuContext& context, P... given) {
    return Call(context, std::index_sequence_for<P...>(), given...);
  }

 private:
  template <size_t... I>
  static absl::Status Call(const CpuContext& context, std::index_sequence<I...>,
                           P... given) {
    const DenseTensor& first = std::get<0>(std::tie(given...));
    const int64_t items = first.extent(0);
    const int64_t step = std::max<int64_t>(
        1, kFloatElements / std::max<int64_t>(1, ItemSize(first)));
    std::tuple<ItemsArgument<T, P, (kBatched >> I & 1) != 0>...> arguments{
        ItemsArgument<T, P, (kBatched >> I & 1) != 0>(given)...};
    absl::Status status;
    static_cast<void>(
        ((status = std::get<I>(arguments).Open(context)).ok() && ...));
    SY_RETURN_IF_ERROR(status);
    // A batch of none is one call: sums over it are zeros.
    int64_t begin = 0;
    do {
      const int64_t count = std::min(step, items - begin);
      static_cast<void>(
          ((status = std::get<I>(arguments).Take(context, begin, count)).ok() &&
           ...));
      SY_RETURN_IF_ERROR(status);
      SY_RETURN_IF_ERROR(kernel(context, std::get<I>(arguments).get()...));
      (std::get<I>(arguments).Put(), ...);
      begin += count;
    } while (begin < items);
    (std::get<I>(arguments).Close(), ...);
    return absl::OkStatus();
  }
};

// Returns the bits of the parameters at `positions`.
template <typename... Positions>
constexpr uint32_t Batched(Positions... positions) {
  return ((uint32_t{1} << positions) | ...);
}

// As KernelInFloat(), some items at a time.
template <typename T, auto kernel, uint32_t kBatched>
constexpr auto KernelByItemsInFloat() {
  using Traits = KernelArgsTraits<decltype(kernel)>;
  if constexpr (std::is_same_v<T, FloatFor<T>>) {
    return kernel;
  } else if constexpr (Traits::kTakesStruct) {
    using Kernel = ArgsKernel<kernel, typename Traits::Args>;
    return &Kernel::template Run<
        &ItemsInFloat<T, &Kernel::RunOn, kBatched>::Run>;
  } else {
    return &ItemsInFloat<T, kernel, kBatched>::Run;
  }
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_ITEMS_IN_FLOAT_H_

// SPDX-License-Identifier: Apache-2.0
// Kernels of float16 and bfloat16 made of a float kernel: it gets the inputs
// widened, and its results are rounded once. What lies in float meanwhile is
// the tensors of this call alone.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_IN_FLOAT_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_IN_FLOAT_H_

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_args.h"
#include "phi/core/kernel_context.h"
#include "phi/kernels/cpu/conversion/half_conversion.h"

namespace switchyard::phi::kernels::cpu {

// The elements that a contiguous tensor has in memory: those that pad a layout
// of blocks count.
inline int64_t StoredElements(const DenseTensor& x) {
  if (x.layout().strided()) return x.numel();
  const auto bytes = CheckedByteSize(x.dtype(), x.shape(), x.layout());
  return bytes.value_or(0) / static_cast<int64_t>(ElementSize(x.dtype()));
}

// Allocates `wide`, a float tensor of the shape and layout of a contiguous
// `like`.
inline absl::Status AllocateWide(const CpuContext& context,
                                 const DenseTensor& like, DenseTensor* wide) {
  SY_ASSIGN_OR_RETURN(
      *wide, DenseTensor::Allocate(DataType::kFloat32, like.shape(),
                                   context.allocator(), like.layout()));
  return absl::OkStatus();
}

// One parameter of a kernel: Open() before the call, get() for it, Close()
// after it. What is no tensor of dtype T goes through as it is.
template <typename T, typename P>
class FloatArgument {
 public:
  explicit FloatArgument(P given) : given_(given) {}
  absl::Status Open(const CpuContext&) { return absl::OkStatus(); }
  P get() { return given_; }
  void Close() {}

 private:
  P given_;
};

// An input that may be absent. One without elements that this kernel may read,
// or that need not be contiguous, is there for its shape.
template <typename T>
class FloatArgument<T, const DenseTensor*> {
 public:
  explicit FloatArgument(const DenseTensor* given) : given_(given) {}
  absl::Status Open(const CpuContext& context) {
    if (given_ == nullptr || given_->dtype() != DataTypeOf<T>::value ||
        !given_->allocated() || given_->place() != Place::Cpu() ||
        !given_->contiguous()) {
      return absl::OkStatus();
    }
    SY_RETURN_IF_ERROR(AllocateWide(context, *given_, &wide_));
    WidenBuffer(given_->template data<T>(), StoredElements(*given_),
                wide_.mutable_data<float>());
    given_ = &wide_;
    return absl::OkStatus();
  }
  const DenseTensor* get() { return given_; }
  void Close() {}

 private:
  const DenseTensor* given_;
  DenseTensor wide_;
};

template <typename T>
class FloatArgument<T, const DenseTensor&>
    : public FloatArgument<T, const DenseTensor*> {
 public:
  using Base = FloatArgument<T, const DenseTensor*>;
  explicit FloatArgument(const DenseTensor& given) : Base(&given) {}
  const DenseTensor& get() { return *Base::get(); }
};

// A result that may be unwanted.
template <typename T>
class FloatArgument<T, DenseTensor*> {
 public:
  explicit FloatArgument(DenseTensor* given) : given_(given) {}
  absl::Status Open(const CpuContext& context) {
    narrows_ = given_ != nullptr && given_->dtype() == DataTypeOf<T>::value;
    return narrows_ ? AllocateWide(context, *given_, &wide_) : absl::OkStatus();
  }
  DenseTensor* get() { return narrows_ ? &wide_ : given_; }
  void Close() {
    if (!narrows_) return;
    NarrowBuffer(wide_.data<float>(), StoredElements(*given_),
                 given_->template mutable_data<T>());
  }

 private:
  DenseTensor* given_;
  bool narrows_ = false;
  DenseTensor wide_;
};

template <typename T>
class FloatArgument<T, DenseList> {
 public:
  explicit FloatArgument(DenseList given) {
    arguments_.reserve(given.size());
    for (size_t i = 0; i < given.size(); ++i) arguments_.emplace_back(given[i]);
  }
  absl::Status Open(const CpuContext& context) {
    for (auto& argument : arguments_) {
      SY_RETURN_IF_ERROR(argument.Open(context));
      pointers_.push_back(&argument.get());
    }
    return absl::OkStatus();
  }
  DenseList get() { return pointers_; }
  void Close() {}

 private:
  std::vector<FloatArgument<T, const DenseTensor&>> arguments_;
  std::vector<const TensorBase*> pointers_;
};

template <typename T>
class FloatArgument<T, DenseOutputs> {
 public:
  explicit FloatArgument(DenseOutputs given) {
    arguments_.reserve(given.size());
    for (size_t i = 0; i < given.size(); ++i) arguments_.emplace_back(given[i]);
  }
  absl::Status Open(const CpuContext& context) {
    for (auto& argument : arguments_) {
      SY_RETURN_IF_ERROR(argument.Open(context));
      pointers_.push_back(argument.get());
    }
    return absl::OkStatus();
  }
  DenseOutputs get() { return pointers_; }
  void Close() {
    for (auto& argument : arguments_) argument.Close();
  }

 private:
  std::vector<FloatArgument<T, DenseTensor*>> arguments_;
  std::vector<TensorBase*> pointers_;
};

// The kernel of dtype T that calls `kernel`, one of float.
template <typename T, auto kernel>
struct InFloat;

template <typename T, typename... P,
          absl::Status (*kernel)(const CpuContext&, P...)>
struct InFloat<T, kernel> {
  static absl::Status Run(const CpuContext& context, P... given) {
    std::tuple<FloatArgument<T, P>...> arguments{FloatArgument<T, P>(given)...};
    return Call(context, arguments, std::index_sequence_for<P...>());
  }

 private:
  template <size_t... I>
  static absl::Status Call(const CpuContext& context,
                           std::tuple<FloatArgument<T, P>...>& arguments,
                           std::index_sequence<I...>) {
    absl::Status status;
    // Opens one after the other, to the first that fails.
    static_cast<void>(
        ((status = std::get<I>(arguments).Open(context)).ok() && ...));
    SY_RETURN_IF_ERROR(status);
    SY_RETURN_IF_ERROR(kernel(context, std::get<I>(arguments).get()...));
    (std::get<I>(arguments).Close(), ...);
    return absl::OkStatus();
  }
};

// A kernel that takes the struct of its arguments, as a function of the
// arguments one by one, and back.
template <auto kernel, typename Args, typename Types = typename Args::Types>
struct ArgsKernel;

template <auto kernel, typename Args, typename... P>
struct ArgsKernel<kernel, Args, KernelArgTypes<P...>> {
  static absl::Status RunOn(const CpuContext& context, P... given) {
    return kernel(context, Args{given...});
  }
  // Calls `converted`, which is made of RunOn().
  template <absl::Status (*converted)(const CpuContext&, P...)>
  static absl::Status Run(const CpuContext& context, const Args& args) {
    return args.Apply([&](P... given) { return converted(context, given...); });
  }
};

// The dtype in which a kernel of T computes.
template <typename T>
using FloatFor = std::conditional_t<
    std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>, float, T>;

// The kernel of dtype T, where `kernel` is that of FloatFor<T>:
//   template <typename T>
//   inline constexpr auto Conv2dKernel =
//       KernelInFloat<T, &Conv2dOf<FloatFor<T>>>();
template <typename T, auto kernel>
constexpr auto KernelInFloat() {
  using Traits = KernelArgsTraits<decltype(kernel)>;
  if constexpr (std::is_same_v<T, FloatFor<T>>) {
    return kernel;
  } else if constexpr (Traits::kTakesStruct) {
    using Kernel = ArgsKernel<kernel, typename Traits::Args>;
    return &Kernel::template Run<&InFloat<T, &Kernel::RunOn>::Run>;
  } else {
    return &InFloat<T, kernel>::Run;
  }
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CONVERSION_IN_FLOAT_H_

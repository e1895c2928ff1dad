// SPDX-License-Identifier: Apache-2.0
// KernelThunkFor: the entry point of a kernel function, made from its type: a
// thunk that unpacks a KernelContext. Also the check that a kernel's type is
// the one generated from YAML.
//
// A kernel takes what its operator's entry says, each argument by its own type:
//   absl::Status SoftmaxKernel(const CpuContext& context, const DenseTensor& x,
//                              int axis, DenseTensor* out);
// Tables hold kernels of all types as one, absl::Status(KernelContext&):
//   KernelThunkFor<SoftmaxKernel<float>, CpuContext, SoftmaxSignature>::Thunk
// Thunks have no state and check nothing: selection has matched the tensors'
// kinds, dtypes and places, and the compiler the types. They borrow what the
// context refers to for the length of the call, return the kernel's status as
// it is, and run on as many threads at once as call them.
#ifndef SWITCHYARD_PHI_CORE_KERNEL_THUNK_H_
#define SWITCHYARD_PHI_CORE_KERNEL_THUNK_H_

#include <tuple>
#include <type_traits>
#include <utility>

#include "phi/core/kernel_context.h"
#include "phi/core/kernel_def.h"
#include "phi/core/stream_launch.h"

namespace switchyard::phi {

// Says which argument of the operator a kernel's parameter is. (A kernel may
// take a part of them, in its own order: `kernel: param:` in YAML.)
struct Param {
  enum class Kind : uint8_t { kInput, kAttr, kOutput };
  Kind kind;
  int16_t index;
};

// Reads a parameter of type P out of a KernelContext. The primary template is
// for attributes.
template <typename P, typename = void>
struct Unpack {
  static P From(KernelContext& c, int i) { return c.attr<P>(i); }
};
// Tensors of the kinds that the kernel's ArgDefs name: selection has matched
// them, so that the cast to the kind's class is right. A reference is to an
// input that is always there.
template <typename T>
struct Unpack<const T&, std::enable_if_t<std::is_base_of_v<TensorBase, T>>> {
  static const T& From(KernelContext& c, int i) {
    return static_cast<const T&>(c.inputs.one(i));
  }
};
template <typename T>  // Optional: null if absent.
struct Unpack<const T*, std::enable_if_t<std::is_base_of_v<TensorBase, T>>> {
  static const T* From(KernelContext& c, int i) {
    return static_cast<const T*>(c.inputs.optional(i));
  }
};
// An output, which has its memory unless it is a view or the kernel allocates
// it. Null: not wanted.
template <typename T>
struct Unpack<T*, std::enable_if_t<std::is_base_of_v<TensorBase, T> &&
                                   !std::is_const_v<T>>> {
  static T* From(KernelContext& c, int i) {
    return static_cast<T*>(c.outputs.optional(i));
  }
};
// Tensor[]: all tensors of a list, which are dense.
template <>
struct Unpack<DenseList> {
  static DenseList From(KernelContext& c, int i) { return c.inputs.list(i); }
};
template <>
struct Unpack<DenseOutputs> {
  static DenseOutputs From(KernelContext& c, int i) {
    return c.outputs.list(i);
  }
};

// Says what a function takes after its context: of a kernel, or of the type in
// a signature.
template <typename Function>
struct FunctionTraits;
template <typename R, typename C, typename... A>
struct FunctionTraits<R(C, A...)> {
  using Arguments = std::tuple<A...>;
};
template <typename R, typename C, typename... A>
struct FunctionTraits<R (*)(C, A...)> : FunctionTraits<R(C, A...)> {};

// The type that the entry gives a parameter and the one that the kernel has
// there, for the compiler's message. Of nothing: no parameter.
template <typename... T>
struct Expected;
template <typename... T>
struct Got;

// The first parameter in which a kernel differs from its operator's entry. Its
// name is an enumerator of the Signature, so that the compiler's message has
//   KernelParameter<SoftmaxSignature::Parameter::axis, Expected<int>,
//   Got<float>>
template <auto kName, typename Yaml, typename Kernel>
struct KernelParameter {
  static_assert(std::is_same_v<Kernel, Got<>>,
                "this kernel parameter is not of the type that the operator's "
                "YAML entry gives it");
  static_assert(!std::is_same_v<Kernel, Got<>>,
                "the kernel lacks this parameter of the operator's YAML entry");
};
// The first parameter that a kernel has after all of its operator's entry.
template <auto kLast, typename Yaml, typename Kernel>
struct KernelParameterAfter {
  static_assert(std::is_same_v<Yaml, Kernel>,
                "the kernel has a parameter after this one, the last that the "
                "operator's YAML entry gives it");
};

// Returns how many types are equal from the first on.
template <typename Yaml, typename Kernel, size_t... I>
constexpr size_t CountEqual(std::index_sequence<I...>) {
  size_t count = 0;
  static_cast<void>(((std::is_same_v<std::tuple_element_t<I, Yaml>,
                                     std::tuple_element_t<I, Kernel>> &&
                      ++count > 0) &&
                     ...));
  return count;
}

// Names the first difference, and where the numbers differ, says so too.
template <typename Signature, typename Yaml, typename Kernel>
constexpr void NameDifference() {
  using Parameter = typename Signature::Parameter;
  constexpr size_t kYaml = std::tuple_size_v<Yaml>;
  constexpr size_t kKernel = std::tuple_size_v<Kernel>;
  static_assert(kYaml == kKernel,
                "the kernel has another number of parameters than the "
                "operator's YAML entry gives it");
  constexpr size_t kEqual = CountEqual<Yaml, Kernel>(
      std::make_index_sequence<(kYaml < kKernel ? kYaml : kKernel)>());
  // The enumerators begin with the context.
  if constexpr (kEqual == kYaml) {
    constexpr auto kLast = static_cast<Parameter>(kEqual);
    using Type = std::tuple_element_t<kEqual, Kernel>;
    static_cast<void>(
        sizeof(KernelParameterAfter<kLast, Expected<>, Got<Type>>));
  } else {
    constexpr auto kName = static_cast<Parameter>(kEqual + 1);
    using Type = Expected<std::tuple_element_t<kEqual, Yaml>>;
    if constexpr (kEqual == kKernel) {
      static_cast<void>(sizeof(KernelParameter<kName, Type, Got<>>));
    } else {
      using Ours = Got<std::tuple_element_t<kEqual, Kernel>>;
      static_cast<void>(sizeof(KernelParameter<kName, Type, Ours>));
    }
  }
}

// Checks that the parameters have the types of the entry.
template <typename Signature, typename Kernel>
constexpr bool CheckKernel() {
  using Yaml = typename FunctionTraits<typename Signature::Function>::Arguments;
  using Ours = typename FunctionTraits<Kernel>::Arguments;
  if constexpr (!std::is_same_v<Yaml, Ours>) {
    NameDifference<Signature, Yaml, Ours>();
  }
  return true;
}

// Says whether kernels with this type of context enqueue and return
// (phi/core/stream_launch.h).
template <typename Context, typename = void>
inline constexpr bool kUsesStreams = false;
template <typename Context>
inline constexpr bool
    kUsesStreams<Context, std::void_t<decltype(Context::kUsesStreams)>> =
        Context::kUsesStreams;

// Holds the thunk of the function `kKernel`, whose first parameter is a
// Context, the class of the contexts of its backend's devices. `Signature` is
// generated (phi/core/signatures) and says of each parameter which argument it
// is.
template <auto kKernel, typename Context, typename Signature,
          typename Function = typename Signature::Function>
struct KernelThunkFor;

template <auto kKernel, typename Context, typename Signature, typename... A>
struct KernelThunkFor<kKernel, Context, Signature,
                      absl::Status(const DeviceContext&, A...)> {
  static_assert(CheckKernel<Signature, decltype(kKernel)>());

  static absl::Status Thunk(KernelContext& c) {
    if constexpr (kUsesStreams<Context>) {
      return LaunchOnStream(c, [](KernelContext& call) {
        return Launch(call, std::index_sequence_for<A...>());
      });
    }
    return Launch(c, std::index_sequence_for<A...>());
  }

 private:
  template <size_t... I>
  static absl::Status Launch(KernelContext& c, std::index_sequence<I...>) {
    return kKernel(static_cast<const Context&>(c.device()),
                   Unpack<A>::From(c, Signature::kParams[I].index)...);
  }
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_KERNEL_THUNK_H_

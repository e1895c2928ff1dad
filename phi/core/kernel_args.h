// SPDX-License-Identifier: Apache-2.0
// Kernels that take the arguments of their operator as one struct, as a kernel
// function of more than eight does. ops_gen makes the struct from the entry:
// that of kernel `batch_norm` is in phi/core/signatures/batch_norm.args.gen.h,
// and its fields have the entry's names.
//   template <typename T>
//   absl::Status BatchNormKernel(const CpuContext& context,
//                                const BatchNormArgs& args);
// It is registered like any other (phi/core/register_kernel.h). The struct
// borrows what it refers to for the length of the call.
#ifndef SWITCHYARD_PHI_CORE_KERNEL_ARGS_H_
#define SWITCHYARD_PHI_CORE_KERNEL_ARGS_H_

#include <tuple>

#include "phi/core/kernel_context.h"
#include "phi/core/kernel_thunk.h"

namespace switchyard::phi {

// Lists the types of the fields of such a struct, `Args::Types`.
template <typename... A>
struct KernelArgTypes {};
template <typename... A>
struct FunctionTraits<KernelArgTypes<A...>> {
  using Arguments = std::tuple<A...>;
};

// Says whether a kernel takes such a struct, and which.
template <typename Kernel>
struct KernelArgsTraits {
  static constexpr bool kTakesStruct = false;
};
template <typename C, typename A>
struct KernelArgsTraits<absl::Status (*)(const C&, const A&)> {
  static constexpr bool kTakesStruct = true;
  using Args = A;
};

// Calls a kernel that takes a struct with the arguments themselves.
template <auto kKernel, typename Context, typename Args, typename... A>
absl::Status CallWithArgs(const Context& context, A... args) {
  return kKernel(context, Args{args...});
}

// The thunk of a kernel that takes a struct is that of a kernel that takes the
// struct's fields. Kernels of two operators may be one function, if the entries
// have the same types in the same order.
template <typename C, typename Args,
          absl::Status (*kKernel)(const C&, const Args&), typename Context,
          typename Signature, typename... A>
struct KernelThunkFor<kKernel, Context, Signature,
                      absl::Status(const DeviceContext&, A...)>
    : KernelThunkFor<CallWithArgs<kKernel, C, Args, A...>, Context, Signature> {
  // Also that the struct is the one that is made from the operator's entry.
  static_assert(CheckKernel<Signature, typename Args::Types>());
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_KERNEL_ARGS_H_

// SPDX-License-Identifier: Apache-2.0
// The vocabulary of the reference kernels of operators with a `functor:`: a
// line an operator, as its documentation gives it, independent of the functors.
// The loops are in elementwise.h.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_FORMULA_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_FORMULA_H_

#include "framework/device/cpu/cpu_context.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elementwise/elementwise.h"

namespace switchyard::phi::kernels::reference {

// Defines the kernel `Name`Kernel of one number, `v`, and its spec. `Number` is
// Wide, Own or Signed (elementwise.h).
#define SY_FORMULA_1(Name, Number, v, expression)                          \
  template <typename S>                                                    \
  inline constexpr auto k##Name##Spec = KernelSpec<S>().AllStrided();      \
  template <typename T>                                                    \
  absl::Status Name##Kernel(const ReferenceContext&, const DenseTensor& x, \
                            DenseTensor* out) {                            \
    using V = Number<T>;                                                   \
    return Unary<T, V>(x, out, [](V v) -> V { return expression; });       \
  }
// Defines a kernel of two numbers, `a` and `b`, and its spec.
#define SY_FORMULA_2(Name, Number, a, b, expression)                          \
  template <typename S>                                                       \
  inline constexpr auto k##Name##Spec = KernelSpec<S>().AllStrided();         \
  template <typename T>                                                       \
  absl::Status Name##Kernel(const ReferenceContext&, const DenseTensor& x,    \
                            const DenseTensor& y, DenseTensor* out) {         \
    using V = Number<T>;                                                      \
    return Binary<T, V>(x, y, out, [](V a, V b) -> V { return expression; }); \
  }
// Kernels that yield truth values, of one number and of two.
#define SY_FORMULA_TRUTH_1(Name, v, expression)                              \
  template <typename S>                                                      \
  inline constexpr auto k##Name##Spec =                                      \
      KernelSpec<S>().AllStrided().Output(S::kOut, Fixed(DataType::kBool));  \
  template <typename T>                                                      \
  absl::Status Name##Kernel(const ReferenceContext&, const DenseTensor& x,   \
                            DenseTensor* out) {                              \
    using V = Own<T>;                                                        \
    return Compare<T>(x, x, out, [](V v, V) -> bool { return expression; }); \
  }
#define SY_FORMULA_TRUTH_2(Name, a, b, expression)                             \
  template <typename S>                                                        \
  inline constexpr auto k##Name##Spec =                                        \
      KernelSpec<S>().AllStrided().Output(S::kOut, Fixed(DataType::kBool));    \
  template <typename T>                                                        \
  absl::Status Name##Kernel(const ReferenceContext&, const DenseTensor& x,     \
                            const DenseTensor& y, DenseTensor* out) {          \
    using V = Own<T>;                                                          \
    return Compare<T>(x, y, out, [](V a, V b) -> bool { return expression; }); \
  }

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_FORMULA_H_

// SPDX-License-Identifier: Apache-2.0
// The kernel of prod on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_PRODUCT_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_PRODUCT_H_

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/reduction/reduce.h"

namespace switchyard::phi::kernels::cpu {

// Floating numbers in double, integers in uint64, where they wrap around.
template <typename T>
struct ProductReduction {
  using Out = T;
  using Total = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  using Column = Total;
  static constexpr Total kStart = 1;
  static constexpr Column kColumnStart = 1;
  static Total Row(const T* x, int64_t n, Total total) {
    // Four products side by side hide the latency of the multiplication.
    Total p[4] = {total, 1, 1, 1};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      for (int j = 0; j < 4; ++j) p[j] *= static_cast<Total>(x[i + j]);
    }
    for (; i < n; ++i) p[0] *= static_cast<Total>(x[i]);
    return (p[0] * p[1]) * (p[2] * p[3]);
  }
  static void Columns(const T* x, int64_t n, Column* to) {
    for (int64_t i = 0; i < n; ++i) to[i] *= static_cast<Column>(x[i]);
  }
  static Out Finish(Total total) { return static_cast<Out>(total); }
  static Out FinishColumn(Column total) { return static_cast<Out>(total); }
};

template <typename S>
inline constexpr auto kProdSpec = KernelSpec<S>();
template <typename T>
absl::Status ProdKernel(const CpuContext&, const DenseTensor& x,
                        absl::Span<const int64_t> axis, bool,
                        DenseTensor* out) {
  Reduce<ProductReduction<T>>(ReducePlan::OfAxes(x.shape(), axis), x.data<T>(),
                              out->mutable_data<T>());
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_PRODUCT_H_

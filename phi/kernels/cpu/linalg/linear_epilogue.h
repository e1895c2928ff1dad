// SPDX-License-Identifier: Apache-2.0
// linear_epilogue on the CPU: a product of matrices of which each part is
// finished while its sums are in a near cache. With pack_y it takes y in the
// strips that Gemm reads: as a weight of a program, y is packed once.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LINALG_LINEAR_EPILOGUE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LINALG_LINEAR_EPILOGUE_H_

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/layout_descriptor.h"
#include "framework/types/post_ops.h"
#include "phi/core/image_layouts.h"
#include "phi/core/kernel_layouts.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/in_float.h"
#include "phi/kernels/cpu/gemm/gemm.h"
#include "phi/kernels/cpu/linalg/finish_rows.h"

namespace switchyard::phi::kernels::cpu {

// All strided, except a y that shall be packed: its strips follow each other,
// as GemmProduct::packed_b says.
template <typename S, typename T>
absl::Status LinearLayouts(const LayoutCall& call, TensorLayouts* layouts) {
  TakeStrided(layouts);
  if (!call.attrs[S::kPackY].template Get<bool>()) return absl::OkStatus();
  constexpr int kOrder[] = {1, 0};
  const LayoutDescriptor::Block strips[] = {{1, GemmStripColumns(T{})}};
  layouts->inputs[S::kY] = *LayoutDescriptor::Make(kOrder, strips);
  return absl::OkStatus();
}

template <typename S, typename T>
inline constexpr auto kLinearEpilogueSpecOf =
    KernelSpec<S>()
        .Layouts(DataLayout::kStrided, &LinearLayouts<S, T>)
        .When(PostOpsAmong(S::kPostOps, PostOpKinds::All(), 1));
template <typename S>
inline constexpr auto kLinearEpilogueSpec = SpecByDtype{
    DataTypeSet(DataType::kFloat64), kLinearEpilogueSpecOf<S, double>,
    kLinearEpilogueSpecOf<S, float>};
template <typename T>
absl::Status LinearEpilogueOf(const CpuContext& context, const DenseTensor& x,
                              const DenseTensor& y, const DenseTensor* bias,
                              const DenseTensor* residual, int x_num_col_dims,
                              PostOps post_ops, bool /*pack_y*/,
                              DenseTensor* out) {
  const int64_t m = x.shape().numel(0, x_num_col_dims);
  const int64_t k = x.shape().numel(x_num_col_dims, x.rank());
  const int64_t n = y.extent(1);
  T* const to = out->mutable_data<T>();
  const FinishedRows<T> all = {
      bias == nullptr ? nullptr : bias->data<T>(),
      residual == nullptr ? nullptr : residual->data<T>(),
      post_ops.only(),
      m,
      n,
      to,
      n};
  const GemmProduct<T> product{{x.data<T>(), k, 1},
                               {y.data<T>(), n, 1},
                               to,
                               /*packed_b=*/!y.layout().strided()};
  return Gemm(context.allocator(), m, n, k, product,
              [&](int64_t row, int64_t column, int64_t rows, int64_t columns) {
                FinishedRows<T> part = all;
                if (part.bias != nullptr) part.bias += column;
                if (part.added != nullptr) part.added += row * n + column;
                part.rows = rows;
                part.columns = columns;
                part.sums += row * n + column;
                FinishRows(part);
              });
}
template <typename T>
inline constexpr auto LinearEpilogueKernel =
    KernelInFloat<T, &LinearEpilogueOf<FloatFor<T>>>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LINALG_LINEAR_EPILOGUE_H_

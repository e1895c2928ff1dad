// SPDX-License-Identifier: Apache-2.0
// The kernels of prod, whose input has any strides, and of its gradient on the
// CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_PRODUCT_H_
#define SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_PRODUCT_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/strided_copy.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/reduction/reduce_grad.h"
#include "phi/kernels/cpu/reduction/reduce_strided.h"
#include "phi/kernels/cpu/reduction/strided_source.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

// Floating numbers in double, integers in uint64, where they wrap around.
template <typename T>
struct ProductReduction {
  using Out = T;
  using Total = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
  using Column = Total;
  static constexpr Total kStart = 1;
  static constexpr Column kColumnStart = 1;
  // Four products side by side hide the latency of the multiplication.
  using Parts = std::array<Total, 4>;
  static Parts Split(Total total) { return {total, 1, 1, 1}; }
  // Takes in the next span of a row, whose length is a multiple of 4 unless it
  // is the last.
  static void Take(const T* x, int64_t n, Parts* parts) {
    Total p[4];
    std::copy_n(parts->data(), 4, p);
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      for (int j = 0; j < 4; ++j) p[j] *= static_cast<Total>(x[i + j]);
    }
    for (; i < n; ++i) p[0] *= static_cast<Total>(x[i]);
    std::copy_n(p, 4, parts->data());
  }
  static Total Unite(const Parts& p) { return (p[0] * p[1]) * (p[2] * p[3]); }
  static Total Row(const T* x, int64_t n, Total total) {
    Parts parts = Split(total);
    Take(x, n, &parts);
    return Unite(parts);
  }
  static void Columns(const T* x, int64_t n, Column* to) {
    for (int64_t i = 0; i < n; ++i) to[i] *= static_cast<Column>(x[i]);
  }
  static Out Finish(Total total) { return static_cast<Out>(total); }
  static Out FinishColumn(Column total) { return static_cast<Out>(total); }
};

template <typename S>
inline constexpr auto kProdSpec = KernelSpec<S>().Input(S::kX, AnyStrides());
template <typename T>
absl::Status ProdKernel(const CpuContext& context, const DenseTensor& x,
                        absl::Span<const int64_t> axis, bool,
                        DenseTensor* out) {
  return ReduceTensor<ProductReduction<T>, T>(
      context, ReducePlan::OfAxes(x.shape(), axis), x, out->mutable_data<T>());
}

// The elements of a tensor, in row-major order: where they lie, or, of a view,
// copied piece by piece to `piece`.
template <typename T>
struct ElementPieces {
  const T* data;
  const StridedSource<T>* view;  // Null: the elements lie one after another.
  T* piece;

  // Elements [first, first + count), kReducePiece at most; until the next call.
  const T* At(int64_t first, int64_t count) const {
    if (view == nullptr) return data + first;
    view->Read(first, count, piece);
    return piece;
  }
};

// Rows [begin, end) of the gradient of prod, whose products are no other row's:
// what comes before an element, times what comes after it, times the gradient.
// No division, so elements may be 0. `before` has the elements of x, `running`
// those of out.
template <typename T>
void ProdGradRows(const ReducePlan& plan, int64_t begin, int64_t end,
                  const ElementPieces<T>& x, const T* out_grad, double* before,
                  double* running, T* x_grad) {
  const auto start = [&](int64_t, int64_t out, int64_t n, int64_t step) {
    for (int64_t i = 0; i < n; ++i) running[out + i * step] = 1;
  };
  ForEachSpan(plan, begin, end, start);
  ForEachSpan(plan, begin, end,
              [&](int64_t at, int64_t out, int64_t n, int64_t step) {
                for (int64_t first = 0; first < n; first += kReducePiece) {
                  const int64_t count = std::min(kReducePiece, n - first);
                  const T* from = x.At(at + first, count);
                  for (int64_t i = 0; i < count; ++i) {
                    double& product = running[out + (first + i) * step];
                    before[at + first + i] = product;
                    product *= static_cast<double>(from[i]);
                  }
                }
              });
  ForEachSpan(plan, begin, end, start);
  for (int64_t row = end - 1; row >= begin; --row) {
    ForEachSpan(plan, row, row + 1,
                [&](int64_t at, int64_t out, int64_t n, int64_t step) {
                  for (int64_t last = n; last > 0;) {
                    const int64_t count = std::min(kReducePiece, last);
                    last -= count;
                    const T* from = x.At(at + last, count);
                    for (int64_t i = count - 1; i >= 0; --i) {
                      const int64_t o = out + (last + i) * step;
                      const double others = before[at + last + i] * running[o];
                      x_grad[at + last + i] = static_cast<T>(
                          others * static_cast<double>(out_grad[o]));
                      running[o] *= static_cast<double>(from[i]);
                    }
                  }
                });
  }
}

template <typename S>
inline constexpr auto kProdGradSpec = KernelSpec<S>().Input(S::kX,
                                                            AnyStrides());
template <typename T>
absl::Status ProdGradKernel(const CpuContext& context, const DenseTensor& x,
                            const DenseTensor& out_grad,
                            absl::Span<const int64_t> axis, bool,
                            DenseTensor* x_grad) {
  const ReducePlan plan = ReducePlan::OfAxes(x.shape(), axis);
  const int64_t count = x.numel();
  if (count == 0) return absl::OkStatus();
  Allocator& allocator = context.allocator();
  const T* data = static_cast<const T*>(x.raw_data());
  const StridedSource<T> source(x, data);
  const bool is_view = !IsContiguous(x.shape(), x.strides());
  const bool copied = is_view && count <= kReduceCopied;
  SY_ASSIGN_OR_RETURN(const Workspace<T> copy,
                      Workspace<T>::Make(allocator, copied ? count : 0));
  if (copied) {
    CopyStrided(sizeof(T), x.shape(), data, x.strides(), copy.data(),
                ContiguousStrides(x.shape()));
    data = copy.data();
  }
  const StridedSource<T>* view = is_view && !copied ? &source : nullptr;
  SY_ASSIGN_OR_RETURN(const Workspace<double> products,
                      Workspace<double>::Make(allocator, count + plan.kept));
  double* before = products.data();
  const int64_t rows = count / plan.axes[plan.rank - 1].extent;
  // Parts of a first axis that is kept have no product in common.
  const ReducePlan::Axis& first = plan.axes[0];
  const bool apart = plan.rank > 1 && !first.reduced();
  const int64_t parts = apart ? first.extent : 1;
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / (count / parts));
  return ParallelForWithWorkspace<T>(
      allocator, parts, grain, view == nullptr ? 0 : kReducePiece,
      [&](int64_t begin, int64_t end, T* piece) {
        ProdGradRows<T>(plan, begin * (rows / parts), end * (rows / parts),
                        {data, view, piece}, out_grad.data<T>(), before,
                        before + count, x_grad->mutable_data<T>());
      });
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_REDUCTION_REDUCE_PRODUCT_H_

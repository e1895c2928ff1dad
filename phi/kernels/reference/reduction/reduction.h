// SPDX-License-Identifier: Apache-2.0
// Reference kernels of the reductions: every element of x in row-major order
// goes to its output element. Sums of floating numbers are taken in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_REDUCTION_REDUCTION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_REDUCTION_REDUCTION_H_

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// A tensor's shape with the extents of the reduced axes 1 (`kept`): position i
// of x belongs to element Target(i) of the reduced tensor.
class Reduction {
 public:
  // `axis` as the attribute has it (none: all), checked by InferMeta.
  Reduction(const Shape& x, absl::Span<const int64_t> axis)
      : shape_(x), kept_(x) {
    if (axis.empty()) {
      for (int i = 0; i < x.rank(); ++i) kept_[i] = 1;
    }
    for (const int64_t a : axis) {
      if (x.rank() > 0) kept_[static_cast<int>(a < 0 ? a + x.rank() : a)] = 1;
    }
  }
  // To the shape of `target`, which broadcasts to x's.
  Reduction(const Shape& x, const Shape& target) : shape_(x), kept_(x) {
    const int lead = x.rank() - target.rank();
    for (int i = 0; i < x.rank(); ++i) {
      kept_[i] = i < lead ? Dim(1) : target[i - lead];
    }
  }
  int64_t Target(int64_t i) const {
    Index index = Unravel(shape_, i);
    for (int axis = 0; axis < shape_.rank(); ++axis) {
      if (kept_.extent(axis) == 1) index[axis] = 0;
    }
    return Ravel(kept_, index);
  }

 private:
  Shape shape_;
  Shape kept_;
};

// out = sum of x / divisor. Out is the type of out's elements.
template <typename T, typename Out>
void SumInto(const DenseTensor& x, const Reduction& reduction, double divisor,
             DenseTensor* out) {
  std::vector<SumOf<T>> sums(out->numel());
  for (int64_t i = 0; i < x.numel(); ++i) {
    sums[reduction.Target(i)] += static_cast<SumOf<T>>(At<T>(x, i));
  }
  for (int64_t o = 0; o < out->numel(); ++o) {
    if constexpr (!std::is_integral_v<T>) sums[o] /= divisor;
    out->mutable_data<Out>()[o] = static_cast<Out>(sums[o]);
  }
}

// bool and int32 are summed as int64 unless `dtype` says int32.
template <typename S>
inline constexpr SpecByDtype kSumSpec = {
    DataTypeSet(DataType::kBool, DataType::kInt32),
    KernelSpec<S>().AllStrided().Output(S::kOut, OneOf(kIndexDtypes)),
    KernelSpec<S>().AllStrided()};
template <typename T>
absl::Status SumKernel(const ReferenceContext&, const DenseTensor& x,
                       absl::Span<const int64_t> axis, DataType, bool,
                       DenseTensor* out) {
  const Reduction reduction(x.shape(), axis);
  if constexpr (!std::is_integral_v<T>) {
    SumInto<T, T>(x, reduction, 1, out);
  } else if (out->dtype() == DataType::kInt32) {
    SumInto<T, int32_t>(x, reduction, 1, out);
  } else {
    SumInto<T, int64_t>(x, reduction, 1, out);
  }
  return absl::OkStatus();
}

// Elements of x for one of out; a mean of none is 0 / 0.
inline double Share(const DenseTensor& x, int64_t out_count) {
  return out_count == 0 ? 1 : static_cast<double>(x.numel()) / out_count;
}

template <typename S>
inline constexpr auto kMeanSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status MeanKernel(const ReferenceContext&, const DenseTensor& x,
                        absl::Span<const int64_t> axis, bool,
                        DenseTensor* out) {
  SumInto<T, T>(x, Reduction(x.shape(), axis), Share(x, out->numel()), out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kReduceAsSpec =
    KernelSpec<S>().AllStrided().Input(S::kTarget, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status ReduceAsKernel(const ReferenceContext&, const DenseTensor& x,
                            const DenseTensor& target, DenseTensor* out) {
  SumInto<T, T>(x, Reduction(x.shape(), target.shape()), 1, out);
  return absl::OkStatus();
}

// x_grad[i] = out_grad[the element that i went into] / divisor.
template <typename T>
void SpreadGrad(const DenseTensor& out_grad, const Reduction& reduction,
                double divisor, DenseTensor* x_grad) {
  for (int64_t i = 0; i < x_grad->numel(); ++i) {
    const auto grad =
        static_cast<SumOf<T>>(At<T>(out_grad, reduction.Target(i)));
    x_grad->mutable_data<T>()[i] = static_cast<T>(grad / divisor);
  }
}

template <typename S>
inline constexpr auto kSumGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status SumGradKernel(const ReferenceContext&, const DenseTensor& x,
                           const DenseTensor& out_grad,
                           absl::Span<const int64_t> axis, bool,
                           DenseTensor* x_grad) {
  SpreadGrad<T>(out_grad, Reduction(x.shape(), axis), 1, x_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kMeanGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status MeanGradKernel(const ReferenceContext&, const DenseTensor& x,
                            const DenseTensor& out_grad,
                            absl::Span<const int64_t> axis, bool,
                            DenseTensor* x_grad) {
  SpreadGrad<T>(out_grad, Reduction(x.shape(), axis),
                Share(x, out_grad.numel()), x_grad);
  return absl::OkStatus();
}

// `better(a, b)`: a takes the place of b. A NaN takes every place.
template <typename T, typename Better>
void KeepBest(const DenseTensor& x, absl::Span<const int64_t> axis,
              Better better, DenseTensor* out) {
  const Reduction reduction(x.shape(), axis);
  std::vector<bool> seen(out->numel());
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t o = reduction.Target(i);
    const T v = At<T>(x, i);
    T& best = out->mutable_data<T>()[o];
    if (!seen[o] || better(v, best) || v != v) best = v;
    seen[o] = true;
  }
}

template <typename S>
inline constexpr auto kMaxSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status MaxKernel(const ReferenceContext&, const DenseTensor& x,
                       absl::Span<const int64_t> axis, bool, DenseTensor* out) {
  KeepBest<T>(
      x, axis, [](T a, T b) { return a > b; }, out);
  return absl::OkStatus();
}

// MaxKernel under the name of an operator with another gradient.
template <typename S>
inline constexpr auto kAmaxSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status AmaxKernel(const ReferenceContext& context, const DenseTensor& x,
                        absl::Span<const int64_t> axis, bool keepdim,
                        DenseTensor* out) {
  return MaxKernel<T>(context, x, axis, keepdim, out);
}

template <typename S>
inline constexpr auto kMinSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status MinKernel(const ReferenceContext&, const DenseTensor& x,
                       absl::Span<const int64_t> axis, bool, DenseTensor* out) {
  KeepBest<T>(
      x, axis, [](T a, T b) { return a < b; }, out);
  return absl::OkStatus();
}

// MinKernel under the name of an operator with another gradient.
template <typename S>
inline constexpr auto kAminSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status AminKernel(const ReferenceContext& context, const DenseTensor& x,
                        absl::Span<const int64_t> axis, bool keepdim,
                        DenseTensor* out) {
  return MinKernel<T>(context, x, axis, keepdim, out);
}

template <typename S>
inline constexpr auto kProdSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ProdKernel(const ReferenceContext&, const DenseTensor& x,
                        absl::Span<const int64_t> axis, bool,
                        DenseTensor* out) {
  const Reduction reduction(x.shape(), axis);
  std::vector<SumOf<T>> products(out->numel(), 1);
  for (int64_t i = 0; i < x.numel(); ++i) {
    products[reduction.Target(i)] *= static_cast<SumOf<T>>(At<T>(x, i));
  }
  for (int64_t o = 0; o < out->numel(); ++o) {
    out->mutable_data<T>()[o] = static_cast<T>(products[o]);
  }
  return absl::OkStatus();
}

// Each element gets the gradient of its product times the other elements.
template <typename S>
inline constexpr auto kProdGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ProdGradKernel(const ReferenceContext&, const DenseTensor& x,
                            const DenseTensor& out_grad,
                            absl::Span<const int64_t> axis, bool,
                            DenseTensor* x_grad) {
  const Reduction reduction(x.shape(), axis);
  std::vector<std::vector<int64_t>> factors(out_grad.numel());
  for (int64_t i = 0; i < x.numel(); ++i) {
    factors[reduction.Target(i)].push_back(i);
  }
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t o = reduction.Target(i);
    auto grad = static_cast<double>(At<T>(out_grad, o));
    for (const int64_t other : factors[o]) {
      if (other != i) grad *= static_cast<double>(At<T>(x, other));
    }
    x_grad->mutable_data<T>()[i] = static_cast<T>(grad);
  }
  return absl::OkStatus();
}

// How many elements of x for each of out are not 0.
template <typename T>
std::vector<int64_t> CountNonzero(const DenseTensor& x,
                                  const Reduction& reduction, int64_t outs) {
  std::vector<int64_t> counts(outs);
  for (int64_t i = 0; i < x.numel(); ++i) {
    counts[reduction.Target(i)] += At<T>(x, i) != T(0);
  }
  return counts;
}

template <typename S>
inline constexpr auto kAnySpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, Fixed(DataType::kBool));
template <typename T>
absl::Status AnyKernel(const ReferenceContext&, const DenseTensor& x,
                       absl::Span<const int64_t> axis, bool, DenseTensor* out) {
  const auto counts =
      CountNonzero<T>(x, Reduction(x.shape(), axis), out->numel());
  for (int64_t o = 0; o < out->numel(); ++o) {
    out->mutable_data<bool>()[o] = counts[o] > 0;
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAllSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, Fixed(DataType::kBool));
template <typename T>
absl::Status AllKernel(const ReferenceContext&, const DenseTensor& x,
                       absl::Span<const int64_t> axis, bool, DenseTensor* out) {
  const auto counts =
      CountNonzero<T>(x, Reduction(x.shape(), axis), out->numel());
  for (int64_t o = 0; o < out->numel(); ++o) {
    out->mutable_data<bool>()[o] = counts[o] * out->numel() == x.numel();
  }
  return absl::OkStatus();
}

// Position of the element of each line that no other is better than; the first
// of equals, and the first NaN before all others, as in NumPy.
template <typename T, typename Better>
void FindBest(const DenseTensor& x, int64_t axis, bool flatten, Better better,
              DenseTensor* out) {
  const Shape flat({x.numel()});
  const Lines lines(flatten ? flat : x.shape(),
                    flatten ? 0 : static_cast<int>(axis));
  for (int64_t line = 0; line < lines.count(); ++line) {
    int64_t best = 0;
    for (int64_t p = 1; p < lines.extent(); ++p) {
      const T v = At<T>(x, lines.at(line, p));
      const T held = At<T>(x, lines.at(line, best));
      if (held == held && (better(v, held) || v != v)) best = p;
    }
    if (out->dtype() == DataType::kInt32) {
      out->mutable_data<int32_t>()[line] = static_cast<int32_t>(best);
    } else {
      out->mutable_data<int64_t>()[line] = best;
    }
  }
}

template <typename S>
inline constexpr auto kArgmaxSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, OneOf(kIndexDtypes));
template <typename T>
absl::Status ArgmaxKernel(const ReferenceContext&, const DenseTensor& x,
                          int64_t axis, bool, bool flatten, DataType,
                          DenseTensor* out) {
  FindBest<T>(
      x, axis, flatten, [](T a, T b) { return a > b; }, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArgminSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, OneOf(kIndexDtypes));
template <typename T>
absl::Status ArgminKernel(const ReferenceContext&, const DenseTensor& x,
                          int64_t axis, bool, bool flatten, DataType,
                          DenseTensor* out) {
  FindBest<T>(
      x, axis, flatten, [](T a, T b) { return a < b; }, out);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_REDUCTION_REDUCTION_H_

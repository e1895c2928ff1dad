// SPDX-License-Identifier: Apache-2.0
// Reference kernels of sums over axes of sparse tensors and of their
// transposition: by coordinates, in double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_REDUCTION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_REDUCTION_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/sparse.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"
#include "phi/kernels/reference/sparse/sparse_parts.h"

namespace switchyard::phi::kernels::reference {

// The sum that an element at `index` of x belongs to: its coordinates there.
struct SumRule {
  Shape shape;
  int axes = 1;
  bool whole = false;
  bool keepdim = false;
  int axis = 0;

  Index At(const Index& index) const {
    Index to = {};
    if (whole) return to;
    for (int a = 0, written = 0; a < kMaxRank; ++a) {
      if (a == axis && !keepdim) continue;
      to[written++] = a == axis ? 0 : index[a];
    }
    return to;
  }
};

inline SumRule RuleOf(const SparseParts& x, bool is_csr,
                      absl::Span<const int64_t> axis, bool keepdim) {
  SumRule rule;
  const int rank = x.shape.rank();
  rule.keepdim = keepdim || is_csr;
  rule.whole = axis.empty() || (rank == 1 && !keepdim);
  if (!rule.whole) {
    rule.axis = static_cast<int>(axis[0] < 0 ? axis[0] + rank : axis[0]);
  }
  for (int a = 0; a < rank; ++a) {
    const bool summed = rule.whole || a == rule.axis;
    if (!summed) rule.shape.push_back(x.shape[a]);
    if (summed && rule.keepdim) rule.shape.push_back(Dim(1));
  }
  if (rule.shape.rank() == 0) rule.shape.push_back(Dim(1));
  rule.axes = rule.whole ? rule.shape.rank() : x.axes;
  if (!rule.whole && !rule.keepdim && rule.axis < x.axes && x.axes > 1) {
    --rule.axes;
  }
  return rule;
}

// Splits coordinates into those of a block and of the element in it.
inline std::pair<Index, size_t> Split(const SumRule& rule, const Index& index) {
  Index at = {}, inner = {};
  Shape block;
  for (int a = 0; a < rule.shape.rank(); ++a) {
    (a < rule.axes ? at[a] : inner[a - rule.axes]) = index[a];
    if (a >= rule.axes) block.push_back(rule.shape[a]);
  }
  return {at, static_cast<size_t>(Ravel(block, inner))};
}

template <typename T, typename Sparse>
absl::Status SumOfParts(const ReferenceContext& context, const Sparse& x,
                        absl::Span<const int64_t> axis, bool keepdim,
                        Sparse* out) {
  const SparseParts parts = TakeApart<T>(x);
  const SumRule rule =
      RuleOf(parts, x.kind() == TensorKind::kSparseCsr, axis, keepdim);
  const size_t width =
      static_cast<size_t>(rule.shape.numel(rule.axes, rule.shape.rank()));
  BlockMap sums;
  if (rule.whole) sums[Index{}].assign(width, 0.0);
  for (const SparsePart& part : parts.parts) {
    for (size_t k = 0; k < part.block.size(); ++k) {
      const auto [at, inner] =
          Split(rule, rule.At(parts.At(part, static_cast<int64_t>(k))));
      std::vector<double>& sum = sums[at];
      sum.resize(width, 0.0);
      sum[inner] += part.block[k];
    }
  }
  return Assemble<T>(context, FromMap(rule.shape, rule.axes, std::move(sums)),
                     out);
}

template <typename T, typename Sparse>
absl::Status SumOfPartsGrad(const ReferenceContext& context, const Sparse& x,
                            const Sparse& out_grad,
                            absl::Span<const int64_t> axis, bool keepdim,
                            Sparse* x_grad) {
  SparseParts parts = TakeApart<T>(x);
  const SumRule rule =
      RuleOf(parts, x.kind() == TensorKind::kSparseCsr, axis, keepdim);
  const BlockMap grads = AddUp(TakeApart<T>(out_grad));
  for (SparsePart& part : parts.parts) {
    for (size_t k = 0; k < part.block.size(); ++k) {
      const auto [at, inner] =
          Split(rule, rule.At(parts.At(part, static_cast<int64_t>(k))));
      const auto found = grads.find(at);
      if (found == grads.end() || inner >= found->second.size()) {
        return ArgumentError("out_grad", "of the positions of the sum",
                             "others");
      }
      part.block[k] = found->second[inner];
    }
  }
  return Assemble<T>(context, parts, x_grad);
}

template <typename S>
inline constexpr auto kCooSumSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooSumKernel(const ReferenceContext& context,
                          const SparseCooTensor& x,
                          absl::Span<const int64_t> axis, bool keepdim,
                          SparseCooTensor* out) {
  return SumOfParts<T>(context, x, axis, keepdim, out);
}

template <typename S>
inline constexpr auto kCooSumGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooSumGradKernel(const ReferenceContext& context,
                              const SparseCooTensor& x,
                              const SparseCooTensor& out_grad,
                              absl::Span<const int64_t> axis, bool keepdim,
                              SparseCooTensor* x_grad) {
  return SumOfPartsGrad<T>(context, x, out_grad, axis, keepdim, x_grad);
}

template <typename S>
inline constexpr auto kCsrSumSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrSumKernel(const ReferenceContext& context,
                          const SparseCsrTensor& x,
                          absl::Span<const int64_t> axis, bool keepdim,
                          SparseCsrTensor* out) {
  return SumOfParts<T>(context, x, axis, keepdim, out);
}

template <typename S>
inline constexpr auto kCsrSumGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrSumGradKernel(const ReferenceContext& context,
                              const SparseCsrTensor& x,
                              const SparseCsrTensor& out_grad,
                              absl::Span<const int64_t> axis, bool keepdim,
                              SparseCsrTensor* x_grad) {
  return SumOfPartsGrad<T>(context, x, out_grad, axis, keepdim, x_grad);
}

// The axis of x that axis `a` of the transposed tensor is.
inline int FromAxis(absl::Span<const int> perm, int a) {
  const int axis = perm[static_cast<size_t>(a)];
  return axis < 0 ? axis + static_cast<int>(perm.size()) : axis;
}

// Returns x with other axes, its parts in their order. ArgumentError if a dense
// axis would move.
inline absl::StatusOr<SparseParts> Permute(const SparseParts& x,
                                           absl::Span<const int> perm) {
  SparseParts permuted = x;
  for (int a = 0; a < x.shape.rank(); ++a) {
    const int from = FromAxis(perm, a);
    if ((a >= x.axes || from >= x.axes) && a != from) {
      return ArgumentError(
          "perm",
          "one that leaves the dense axes of x, from " +
              std::to_string(x.axes) + " on, in place",
          "axis " + std::to_string(from) + " at " + std::to_string(a));
    }
    permuted.shape[a] = x.shape[from];
    for (size_t i = 0; i < x.parts.size(); ++i) {
      permuted.parts[i].at[a] = x.parts[i].at[from];
    }
  }
  return permuted;
}

// Returns the numbers of parts in row-major order, those of one position in
// their order.
inline std::vector<size_t> InOrder(const SparseParts& x) {
  std::map<std::pair<Index, size_t>, size_t> order;
  for (size_t i = 0; i < x.parts.size(); ++i) order[{x.parts[i].at, i}] = i;
  std::vector<size_t> numbers;
  for (const auto& [key, number] : order) numbers.push_back(number);
  return numbers;
}

template <typename S>
inline constexpr auto kCooTransposeSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooTransposeKernel(const ReferenceContext& context,
                                const SparseCooTensor& x,
                                absl::Span<const int> perm,
                                SparseCooTensor* out) {
  SY_ASSIGN_OR_RETURN(const SparseParts permuted,
                      Permute(TakeApart<T>(x), perm));
  return Assemble<T>(context, permuted, out);
}

template <typename S>
inline constexpr auto kCooTransposeGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CooTransposeGradKernel(const ReferenceContext& context,
                                    const SparseCooTensor& x,
                                    const SparseCooTensor& out_grad,
                                    absl::Span<const int> /*perm*/,
                                    SparseCooTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(
      const SparseParts grads,
      WithBlocks("out_grad", TakeApart<T>(x), TakeApart<T>(out_grad)));
  return Assemble<T>(context, grads, x_grad);
}

template <typename S>
inline constexpr auto kCsrTransposeSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrTransposeKernel(const ReferenceContext& context,
                                const SparseCsrTensor& x,
                                absl::Span<const int> perm,
                                SparseCsrTensor* out) {
  SY_ASSIGN_OR_RETURN(SparseParts permuted, Permute(TakeApart<T>(x), perm));
  if (FromAxis(perm, 0) == 1) {
    const SparseParts unordered = permuted;
    permuted.parts.clear();
    for (const size_t i : InOrder(unordered))
      permuted.parts.push_back(unordered.parts[i]);
  }
  return Assemble<T>(context, permuted, out);
}

template <typename S>
inline constexpr auto kCsrTransposeGradSpec =
    KernelSpec<S>().AllStrided().Output(S::kXGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CsrTransposeGradKernel(const ReferenceContext& context,
                                    const SparseCsrTensor& x,
                                    const SparseCsrTensor& out_grad,
                                    absl::Span<const int> perm,
                                    SparseCsrTensor* x_grad) {
  SparseParts parts = TakeApart<T>(x);
  const SparseParts grads = TakeApart<T>(out_grad);
  SY_RETURN_IF_ERROR(
      CheckCount("out_grad", grads.parts.size(), parts.parts.size()));
  SY_ASSIGN_OR_RETURN(const SparseParts permuted, Permute(parts, perm));
  const bool exchanged = FromAxis(perm, 0) == 1;
  const std::vector<size_t> order = InOrder(permuted);
  for (size_t i = 0; i < order.size(); ++i) {
    parts.parts[exchanged ? order[i] : i].block = grads.parts[i].block;
  }
  return Assemble<T>(context, parts, x_grad);
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_SPARSE_SPARSE_REDUCTION_H_

// SPDX-License-Identifier: Apache-2.0
// sequence_softmax and its gradient on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_SOFTMAX_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_SOFTMAX_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/sequence/offsets.h"

namespace switchyard::phi::kernels::cpu {

// The sum of term(i) for i in [begin, end), each half summed by itself: its
// rounding errors grow with the logarithm of the number of terms, as those of
// the tree reduction that legacy kernels took from Eigen.
template <typename T, typename Term>
T SumByHalves(int64_t begin, int64_t end, const Term& term) {
  constexpr int64_t kLeaf = 8;
  if (end - begin > kLeaf) {
    const int64_t middle = begin + (end - begin) / 2;
    return SumByHalves<T>(begin, middle, term) +
           SumByHalves<T>(middle, end, term);
  }
  T sum = 0;
  for (int64_t i = begin; i < end; ++i) sum += term(i);
  return sum;
}

template <typename S>
inline constexpr auto kSequenceSoftmaxSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
// out = exp(x - max) / sum(exp(x - max)) over each sequence of x, [rows] or
// [rows, 1].
template <typename T>
absl::Status SequenceSoftmaxKernel(const CpuContext& context,
                                   const DenseTensor& x, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
  SY_RETURN_IF_ERROR(AllocateAnew(context, x.dtype(), x.shape(), out));
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  const Offsets& offsets = lod->offsets.back();
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    const int64_t begin = offsets[i], end = offsets[i + 1];
    if (begin == end) continue;
    const T greatest = *std::max_element(from + begin, from + end);
    for (int64_t j = begin; j < end; ++j) {
      to[j] = std::exp(from[j] - greatest);
    }
    const T sum = SumByHalves<T>(begin, end, [&](int64_t j) { return to[j]; });
    for (int64_t j = begin; j < end; ++j) to[j] /= sum;
  }
  out->SetLod(x.lod());
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSequenceSoftmaxGradSpec = KernelSpec<S>();
// x_grad = (out_grad_out - sum(out_grad_out * out)) * out over each sequence of
// x.
template <typename T>
absl::Status SequenceSoftmaxGradKernel(const CpuContext&, const DenseTensor& x,
                                       const DenseTensor& out,
                                       const DenseTensor& out_grad,
                                       DenseTensor* x_grad) {
  SY_ASSIGN_OR_RETURN(const LoD* lod, ReadSequences("x", x));
  if (x_grad == nullptr) return absl::OkStatus();
  const T* y = out.data<T>();
  const T* dy = out_grad.data<T>();
  T* dx = x_grad->mutable_data<T>();
  const Offsets& offsets = lod->offsets.back();
  for (int64_t i = 0; i < SequenceCount(offsets); ++i) {
    const T dot = SumByHalves<T>(offsets[i], offsets[i + 1],
                                 [&](int64_t j) { return dy[j] * y[j]; });
    for (int64_t j = offsets[i]; j < offsets[i + 1]; ++j) {
      dx[j] = (dy[j] - dot) * y[j];
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SEQUENCE_SOFTMAX_H_

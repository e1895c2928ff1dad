// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/embedding_grad.gen.h"
#include "phi/kernels/cpu/embedding.h"

namespace switchyard::phi {
namespace {

template <typename Signature>
constexpr auto SpecWhere(bool sparse) {
  return KernelSpec<Signature>()
      .Input(Signature::kX,
             OneOf(DataTypeSet(DataType::kInt32, DataType::kInt64)))
      .Input(Signature::kWeight, WithAnyStrides(AnyDtype()))
      .When(AttrEquals(Signature::kSparse, sparse));
}
constexpr auto kDense = SpecWhere<EmbeddingGradSignature>(false);
constexpr auto kRows = SpecWhere<EmbeddingSparseGradSignature>(true).Output(
    EmbeddingSparseGradSignature::kWeightGrad, SelfAllocated(ArgDef()));

}  // namespace

SY_REGISTER_KERNEL(embedding_grad, cpu, kernels::EmbeddingGradKernel,
                   CpuContext, kDense, float32, float64, float16, bfloat16);
SY_REGISTER_KERNEL(embedding_sparse_grad, cpu,
                   kernels::EmbeddingSparseGradKernel, CpuContext, kRows,
                   float32, float64);

}  // namespace switchyard::phi

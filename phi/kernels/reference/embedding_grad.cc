// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/embedding_grad.gen.h"
#include "phi/kernels/reference/nn.h"

namespace switchyard::phi {

template <typename Signature>
constexpr auto SpecWhere(bool sparse) {
  return KernelSpec<Signature>()
      .AllStrided()
      .Input(Signature::kX, WithAnyStrides(OneOf(DataTypeSet(
                                DataType::kInt32, DataType::kInt64))))
      .Input(Signature::kWeight, WithAnyStrides(AnyDtype()))
      .When(AttrEquals(Signature::kSparse, sparse));
}

constexpr auto kDense = SpecWhere<EmbeddingGradSignature>(false);
SY_REGISTER_KERNEL(embedding_grad, reference,
                   kernels::reference::EmbeddingGradKernel, ReferenceContext,
                   kDense, float32, float64, float16, bfloat16);
constexpr auto kRows = SpecWhere<EmbeddingSparseGradSignature>(true).Output(
    EmbeddingSparseGradSignature::kWeightGrad, SelfAllocated(ArgDef()));
SY_REGISTER_KERNEL(embedding_sparse_grad, reference,
                   kernels::reference::EmbeddingSparseGradKernel,
                   ReferenceContext, kRows, float32, float64);

}  // namespace switchyard::phi

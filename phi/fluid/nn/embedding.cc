// SPDX-License-Identifier: Apache-2.0
// The legacy class kernels of lookup_table_v2 and its gradients on the CPU:
// the dense one, and the rows of the table that were looked up.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "framework/types/float16.h"
#include "phi/core/signatures/embedding.gen.h"
#include "phi/core/signatures/embedding_grad.gen.h"
#include "phi/fluid/elementwise/map.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/embedding.gen.h"
#include "phi/legacy/embedding_grad.gen.h"

namespace switchyard::phi {
namespace fluid {

// The rows of W that Ids name, each checked to be one.
inline absl::StatusOr<std::vector<int64_t>> LookedUp(
    const ExecutionContext& context, int64_t height) {
  const DenseTensor& ids = *context.Input("Ids");
  std::vector<int64_t> rows(ids.numel());
  for (int64_t i = 0; i < ids.numel(); ++i) {
    rows[i] = ids.dtype() == DataType::kInt32 ? ids.data<int32_t>()[i]
                                              : ids.data<int64_t>()[i];
    if (rows[i] < 0 || rows[i] >= height) {
      return RangeError("x", "in [0, " + std::to_string(height) + ")",
                        std::to_string(rows[i]));
    }
  }
  return rows;
}

// Out: the rows of W that Ids name, zeros for the padding index.
template <typename T>
class LookupTableV2Kernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& w = *context.Input("W");
    SY_ASSIGN_OR_RETURN(const int64_t padding,
                        context.Attr<int64_t>("padding_idx"));
    SY_ASSIGN_OR_RETURN(const auto rows, LookedUp(context, w.extent(0)));
    const int64_t width = w.extent(1);
    T* out = context.Output("Out")->template mutable_data<T>();
    for (const int64_t row : rows) {
      const T* from = w.data<T>() + row * width;
      for (int64_t j = 0; j < width; ++j) {
        *out++ = row == padding ? T(0.0f) : from[j];
      }
    }
    return absl::OkStatus();
  }
};

// W@GRAD: the sums of the rows of Out@GRAD by their index, in the order of Ids;
// nothing for the padding index.
template <typename T>
class LookupTableV2GradKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    DenseTensor* w_grad = context.Output("W@GRAD");
    SY_ASSIGN_OR_RETURN(const int64_t padding,
                        context.Attr<int64_t>("padding_idx"));
    SY_ASSIGN_OR_RETURN(const auto rows, LookedUp(context, w_grad->extent(0)));
    const int64_t width = w_grad->extent(1);
    std::vector<Number<T>> sums(w_grad->numel());
    const T* from = context.Input("Out@GRAD")->data<T>();
    for (const int64_t row : rows) {
      for (int64_t j = 0; j < width && row != padding; ++j) {
        sums[row * width + j] += static_cast<Number<T>>(from[j]);
      }
      from += width;
    }
    T* to = w_grad->template mutable_data<T>();
    for (const Number<T> sum : sums) *to++ = static_cast<T>(sum);
    return absl::OkStatus();
  }
};

// W@GRAD as rows: a row of Out@GRAD for each index that is no padding.
template <typename T>
class LookupTableV2SparseGradKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& w = *context.Input("W");
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    SY_ASSIGN_OR_RETURN(const int64_t padding,
                        context.Attr<int64_t>("padding_idx"));
    SY_ASSIGN_OR_RETURN(const auto rows, LookedUp(context, w.extent(0)));
    const int64_t width = w.extent(1);
    std::vector<int64_t> kept;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(kept),
                 [=](int64_t row) { return row != padding; });
    SY_ASSIGN_OR_RETURN(
        DenseTensor values,
        DenseTensor::Allocate(out_grad.dtype(),
                              Shape({static_cast<int64_t>(kept.size()), width}),
                              context.device().allocator()));
    T* to = values.template mutable_data<T>();
    const T* from = out_grad.data<T>();
    for (const int64_t row : rows) {
      if (row != padding) to = std::copy_n(from, width, to);
      from += width;
    }
    *context.OutputRows("W@GRAD") =
        SelectedRows(w.extent(0), std::move(kept), std::move(values));
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kEmbeddingSpec = KernelSpec<EmbeddingSignature>().Input(
    EmbeddingSignature::kX, OneOf(kIndexDtypes));
SY_REGISTER_FLUID_KERNEL(embedding, cpu, fluid::LookupTableV2Kernel,
                         legacy_lookup_table_v2, kEmbeddingSpec, float16,
                         bfloat16, float32, float64);
constexpr auto kEmbeddingGradSpec =
    KernelSpec<EmbeddingGradSignature>()
        .Input(EmbeddingGradSignature::kX, OneOf(kIndexDtypes))
        .Input(EmbeddingGradSignature::kWeight, WithAnyStrides(AnyDtype()));
SY_REGISTER_FLUID_KERNEL(embedding_grad, cpu, fluid::LookupTableV2GradKernel,
                         legacy_lookup_table_v2_grad, kEmbeddingGradSpec,
                         float16, bfloat16, float32, float64);
constexpr auto kEmbeddingSparseGradSpec =
    KernelSpec<EmbeddingSparseGradSignature>()
        .Input(EmbeddingSparseGradSignature::kX, OneOf(kIndexDtypes))
        .Input(EmbeddingSparseGradSignature::kWeight,
               WithAnyStrides(AnyDtype()))
        .Output(EmbeddingSparseGradSignature::kWeightGrad,
                SelfAllocated(ArgDef()))
        .When(AttrEquals(EmbeddingSparseGradSignature::kSparse, true));
SY_REGISTER_FLUID_KERNEL(embedding_sparse_grad, cpu,
                         fluid::LookupTableV2SparseGradKernel,
                         legacy_lookup_table_v2_grad, kEmbeddingSparseGradSpec,
                         float32, float64);

}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of lookup_table_grad on the CPU, the dense one
// (`is_sparse` false). Its twin is phi/kernels/cpu's; how the two compare:
// docs/parity.md.
#include <algorithm>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/lookup_table_grad.gen.h"
#include "phi/legacy/forms/lookup_table_grad.gen.h"
#include "phi/legacy/kernels/lookup_table_operator.h"
#include "phi/legacy/kernels/register_legacy_kernel.h"
#include "phi/legacy/kernels/row_indices.h"

namespace switchyard::phi {
namespace fluid {

// W@GRAD: [height, width], the sum of the rows of Out@GRAD by their index, in
// the order of Ids; nothing for the padding index. W gives its shape only.
template <typename T>
class LookupTableGradCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& ids = *context.Input("Ids");
    const DenseTensor& out_grad = *context.Input("Out@GRAD");
    DenseTensor* w_grad = context.Output("W@GRAD");
    SY_ASSIGN_OR_RETURN(const int64_t padding_idx,
                        context.Attr<int64_t>("padding_idx"));
    if (w_grad == nullptr) return absl::OkStatus();
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> rows,
                        CheckedRowIndices(ids, w_grad->extent(0), padding_idx));
    const int64_t width = w_grad->extent(1);
    T* to = w_grad->template mutable_data<T>();
    std::fill_n(to, w_grad->numel(), T{0});
    const T* from = out_grad.data<T>();
    for (const int64_t row : rows) {
      if (row != padding_idx) {
        for (int64_t j = 0; j < width; ++j) to[row * width + j] += from[j];
      }
      from += width;
    }
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr fluid::OperatorSpec<
    fluid::LookupTableOperator<LookupTableGradSignature>>
    kSpec(KernelSpec<LookupTableGradSignature>{});
SY_REGISTER_LEGACY_KERNEL(lookup_table_grad, cpu,
                          fluid::LookupTableGradCpuKernel,
                          legacy_lookup_table_grad, kSpec, float32, float64);

}  // namespace switchyard::phi

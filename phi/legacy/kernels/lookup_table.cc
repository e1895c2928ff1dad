// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of lookup_table on the CPU. Its twin is
// phi/kernels/cpu's; how the two compare: docs/parity.md.
#include <algorithm>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/lookup_table.gen.h"
#include "phi/legacy/forms/lookup_table.gen.h"
#include "phi/legacy/kernels/lookup_table_operator.h"
#include "phi/legacy/kernels/register_legacy_kernel.h"
#include "phi/legacy/kernels/row_indices.h"

namespace switchyard::phi {
namespace fluid {

// W: [height, width]; Ids: int64 [..., 1]. Out: [..., width], row Ids[i] of W,
// zeros for the padding index. Out has the sequences of Ids.
template <typename T>
class LookupTableCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& w = *context.Input("W");
    const DenseTensor& ids = *context.Input("Ids");
    DenseTensor* out = context.Output("Out");
    SY_ASSIGN_OR_RETURN(const int64_t padding_idx,
                        context.Attr<int64_t>("padding_idx"));
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> rows,
                        CheckedRowIndices(ids, w.extent(0), padding_idx));
    const int64_t width = w.extent(1);
    Shape shape = ids.shape();
    shape[shape.rank() - 1] = width;
    SY_RETURN_IF_ERROR(context.Allocate("Out", w.dtype(), shape));
    T* to = out->template mutable_data<T>();
    for (const int64_t row : rows) {
      if (row == padding_idx) {
        std::fill_n(to, width, T{0});
      } else {
        std::copy_n(w.data<T>() + row * width, width, to);
      }
      to += width;
    }
    context.ShareLod("Ids", "Out");
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr fluid::OperatorSpec<fluid::LookupTableOperator<LookupTableSignature>>
    kSpec(KernelSpec<LookupTableSignature>().Output(LookupTableSignature::kOut,
                                                    SelfAllocated(ArgDef())));
SY_REGISTER_LEGACY_KERNEL(lookup_table, cpu, fluid::LookupTableCpuKernel,
                          legacy_lookup_table, kSpec, float32, float64);

}  // namespace switchyard::phi

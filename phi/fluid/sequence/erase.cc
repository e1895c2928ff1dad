// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of sequence_erase on the CPU.
#include <algorithm>
#include <utility>

#include "absl/types/span.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/sequence_erase.gen.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/fluid/sequence/offsets.h"
#include "phi/legacy/sequence_erase.gen.h"

namespace switchyard::phi {
namespace fluid {

// Out: X, [rows] or [rows, 1], without the rows that are one of `tokens`.
template <typename T>
class SequenceEraseCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    const DenseTensor& x = *context.Input("X");
    SY_ASSIGN_OR_RETURN(const LoD* lod, context.Sequences("X"));
    SY_ASSIGN_OR_RETURN(const auto tokens,
                        context.Attr<absl::Span<const int64_t>>("tokens"));
    const Offsets& own = lod->offsets.back();
    RowSources kept;
    LoD shortened = *lod;
    Offsets& offsets = shortened.offsets.back();
    for (int64_t i = 0; i < SequenceCount(own); ++i) {
      for (int64_t row = own[i]; row < own[i + 1]; ++row) {
        const int64_t token = x.data<T>()[row];
        if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) {
          kept.push_back(row);
        }
      }
      offsets[i + 1] = static_cast<int64_t>(kept.size());
    }
    SY_RETURN_IF_ERROR(context.Allocate("Out", x.dtype(),
                                        WithRows(x.shape(), offsets.back())));
    CopyRows<T>(x, kept, context.Output("Out"));
    context.SetLod("Out", std::move(shortened));
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSequenceEraseSpec = KernelSpec<SequenceEraseSignature>().Output(
    SequenceEraseSignature::kOut, SelfAllocated(ArgDef()));
SY_REGISTER_FLUID_KERNEL(sequence_erase, cpu, fluid::SequenceEraseCpuKernel,
                         legacy_sequence_erase, kSequenceEraseSpec, int32,
                         int64);

}  // namespace switchyard::phi

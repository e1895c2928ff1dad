// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of generate_proposals on the CPU.
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/legacy_generate_proposals.gen.h"
#include "phi/fluid/proposals.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/legacy_generate_proposals.gen.h"

namespace switchyard::phi {
namespace fluid {

// An image is its height, its width and its scale, by which small boxes are
// told.
template <typename T>
class LegacyGenerateProposalsCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    ProposalRule<T> rule;
    SY_RETURN_IF_ERROR(ReadRule(context, /*pixels=*/true, &rule));
    rule.scaled_filter = true;
    SY_ASSIGN_OR_RETURN(const std::vector<int64_t> starts,
                        GenerateProposals<T>(context, rule, "ImInfo"));
    SetSequences(starts, context.Output("RpnRois"));
    SetSequences(starts, context.Output("RpnRoiProbs"));
    return absl::OkStatus();
  }
};

}  // namespace fluid

constexpr auto kSpec =
    KernelSpec<LegacyGenerateProposalsSignature>()
        .Output(LegacyGenerateProposalsSignature::kRpnRois,
                SelfAllocated(ArgDef()))
        .Output(LegacyGenerateProposalsSignature::kRpnRoiProbs,
                SelfAllocated(ArgDef()))
        .Output(LegacyGenerateProposalsSignature::kRpnRoisNum,
                Fixed(DataType::kInt32));
SY_REGISTER_FLUID_KERNEL(legacy_generate_proposals, cpu,
                         fluid::LegacyGenerateProposalsCpuKernel,
                         legacy_generate_proposals, kSpec, float32, float64);

}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
// The legacy class kernel of generate_proposals_v2 on the CPU.
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/signatures/generate_proposals.gen.h"
#include "phi/fluid/proposals.h"
#include "phi/fluid/register_fluid_kernel.h"
#include "phi/legacy/generate_proposals.gen.h"

namespace switchyard::phi {
namespace fluid {

// An image is its height and width; boxes are pixels where the attribute says.
template <typename T>
class GenerateProposalsCpuKernel final : public OpKernel<T> {
 public:
  absl::Status Compute(const ExecutionContext& context) const override {
    SY_ASSIGN_OR_RETURN(const bool pixels, context.Attr<bool>("pixel_offset"));
    ProposalRule<T> rule;
    SY_RETURN_IF_ERROR(ReadRule(context, pixels, &rule));
    rule.scaled_filter = false;
    return GenerateProposals<T>(context, rule, "ImShape").status();
  }
};

}  // namespace fluid

constexpr auto kSpec =
    KernelSpec<GenerateProposalsSignature>()
        .Output(GenerateProposalsSignature::kRpnRois, SelfAllocated(ArgDef()))
        .Output(GenerateProposalsSignature::kRpnRoiProbs,
                SelfAllocated(ArgDef()))
        .Output(GenerateProposalsSignature::kRpnRoisNum,
                Fixed(DataType::kInt32));
SY_REGISTER_FLUID_KERNEL(generate_proposals, cpu,
                         fluid::GenerateProposalsCpuKernel,
                         legacy_generate_proposals_v2, kSpec, float32, float64);

}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
// Tables of floating numbers are a legacy kernel's (phi/fluid/lookup_table.cc).
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/lookup_table.gen.h"
#include "phi/kernels/cpu/embedding.h"

namespace switchyard::phi {
namespace {

constexpr auto kSpec = KernelSpec<LookupTableSignature>().Input(
    LookupTableSignature::kIds, Fixed(DataType::kInt64));

}  // namespace

SY_REGISTER_KERNEL(lookup_table, cpu, kernels::LookupTableKernel, CpuContext,
                   kSpec, int8);

}  // namespace switchyard::phi

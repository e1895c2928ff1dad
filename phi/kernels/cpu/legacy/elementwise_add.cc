// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/legacy/legacy.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/legacy/elementwise_add.cc"
#include "phi/kernels/cpu/elementwise/elementwise-inl.h"
#include "phi/kernels/functors/arithmetic.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

void RunAdd(const ElementwiseCall& call, int64_t begin, int64_t end) {
  RunElementwiseOf<kernels::HWY_NAMESPACE::Add, AttributeTypes<>, int8_t,
                   int32_t, int64_t, float, double>(call, begin, end);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {

HWY_EXPORT(RunAdd);

void AddRange(const ElementwiseCall& call, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(RunAdd)(call, begin, end);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE

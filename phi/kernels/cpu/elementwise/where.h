// SPDX-License-Identifier: Apache-2.0
// The kernel of where on the CPU: a choice by element, which needs no
// arithmetic. So there is one loop a size of element, over the operands of
// phi/kernels/cpu/elementwise/elementwise.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_WHERE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_WHERE_H_

#include <algorithm>
#include <type_traits>

#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/elementwise/elementwise.h"

namespace switchyard::phi::kernels::cpu {

// Copies `count` elements that are `step` apart: one of both operands.
template <typename Bits>
void ChooseRun(const Bits* from, int64_t step, int64_t count, Bits* out) {
  if (step == 1) {
    std::copy_n(from, count, out);
  } else if (step == 0) {
    std::fill_n(out, count, *from);
  } else {
    for (int64_t j = 0; j < count; ++j) out[j] = from[j * step];
  }
}

template <typename Bits>
void ChooseRange(const ElementwiseCall& call, int64_t begin, int64_t end) {
  const int last = call.rank - 1;
  const int64_t steps[] = {call.strides[0][last], call.strides[1][last],
                           call.strides[2][last]};
  const bool dense = steps[0] == 1 && steps[1] == 1 && steps[2] == 1;
  ElementwiseCursor<3> cursor(call, begin);
  Bits* out = static_cast<Bits*>(call.output) + begin;
  for (int64_t i = begin; i < end;) {
    const int64_t run = std::min(cursor.left(), end - i);
    const auto* c =
        static_cast<const uint8_t*>(call.inputs[0]) + cursor.offset(0);
    const auto* x = static_cast<const Bits*>(call.inputs[1]) + cursor.offset(1);
    const auto* y = static_cast<const Bits*>(call.inputs[2]) + cursor.offset(2);
    if (steps[0] ==
        0) {  // One choice for the whole run, as of a row by a mask.
      ChooseRun(*c != 0 ? x : y, *c != 0 ? steps[1] : steps[2], run, out);
      out += run;
      i += run;
      cursor.Advance(run);
      continue;
    }
    // Both are read: a load that hangs on the condition is a branch, which a
    // processor can't foresee.
    if (dense) {
      for (int64_t j = 0; j < run; ++j) {
        const Bits chosen = x[j], other = y[j];
        out[j] = c[j] != 0 ? chosen : other;
      }
    } else {
      for (int64_t j = 0; j < run; ++j) {
        const Bits chosen = x[j * steps[1]], other = y[j * steps[2]];
        out[j] = c[j * steps[0]] != 0 ? chosen : other;
      }
    }
    out += run;
    i += run;
    cursor.Advance(run);
  }
}

template <typename S>
inline constexpr auto kWhereSpec = KernelSpec<S>().AllStrided().Input(
    S::kCondition, WithAnyStrides(Fixed(DataType::kBool)));
template <typename T>
absl::Status WhereKernel(const CpuContext&, const DenseTensor& condition,
                         const DenseTensor& x, const DenseTensor& y,
                         DenseTensor* out) {
  using Bits = std::conditional_t<
      sizeof(T) == 1, uint8_t,
      std::conditional_t<
          sizeof(T) == 2, uint16_t,
          std::conditional_t<sizeof(T) == 4, uint32_t,
                             std::conditional_t<sizeof(T) == 8, uint64_t, T>>>>;
  ElementwiseArguments arguments;
  arguments.Add(condition);
  arguments.Add(x);
  arguments.Add(y);
  arguments.Add(out);
  // The loop knows its dtypes, so none is to be widened.
  return arguments.Run(DataType::kUndefined, &ChooseRange<Bits>);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_WHERE_H_

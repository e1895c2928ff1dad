// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/register_kernel.h"
#include "phi/core/signatures/elementwise_add.gen.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/elementwise_add.cc"
#include "phi/kernels/cpu/elementwise-inl.h"
#include "phi/kernels/functors/add.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels {
namespace HWY_NAMESPACE {

void AddRange(const ElementwiseCall& call, int64_t begin, int64_t end) {
  RunElementwiseOf<Add, int8_t, int32_t, int64_t, float, double>(call, begin,
                                                                 end);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi {
namespace kernels {
namespace {

HWY_EXPORT(AddRange);

// An operand with axes of extent 1 behind its own, so that these stand at
// `axis` of a tensor of `rank` when the two are broadcast.
DenseTensor AlignedAt(const DenseTensor& operand, int axis, int rank) {
  if (axis == -1 || operand.rank() == rank) return operand;
  Shape shape = operand.shape();
  Strides strides = operand.strides();
  while (shape.rank() < rank - axis) {
    strides[shape.rank()] = 0;
    shape.push_back(1);
  }
  DenseTensor view;
  view.SetView(operand, shape, strides, operand.offset());
  return view;
}

template <typename T, typename Context>
absl::Status ElementwiseAddKernel(const Context&, const DenseTensor& x,
                                  const DenseTensor& y, int axis,
                                  DenseTensor* out) {
  const DenseTensor a = AlignedAt(x, axis, out->rank());
  const DenseTensor b = AlignedAt(y, axis, out->rank());
  ElementwiseArguments arguments;
  arguments.Add(a);
  arguments.Add(b);
  arguments.Add(out);
  return arguments.Run(DataTypeOf<T>::value, [](const ElementwiseCall& call,
                                                int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(AddRange)(call, begin, end);
  });
}

constexpr auto kSpec = KernelSpec<ElementwiseAddSignature>().AllStrided();

}  // namespace
}  // namespace kernels

SY_REGISTER_KERNEL(elementwise_add, cpu, kernels::ElementwiseAddKernel,
                   CpuContext, kernels::kSpec, int8, int32, int64, float32,
                   float64);

}  // namespace switchyard::phi
#endif  // HWY_ONCE

// SPDX-License-Identifier: Apache-2.0
// set_value on the CPU: a slice of a tensor replaced, by the size of its
// elements and not their dtype.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_SET_VALUE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_SET_VALUE_H_

#include <cstring>
#include <string>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/legacy_set_value.args.gen.h"

namespace switchyard::phi::kernels::cpu {

// The attributes of a slice that is assigned to.
struct AssignedSlice {
  absl::Span<const int64_t> axes;
  IntArray starts;
  IntArray ends;
  IntArray steps;
  absl::Span<const int64_t> decrease_axes;
  absl::Span<const int64_t> none_axes;
};

// Elements that are assigned: where they lie, and their geometry.
struct AssignedElements {
  const void* data;
  Shape shape;
  Strides strides;
};

// Makes `out` x with the slice replaced. ArgumentError, and nothing is written,
// unless the elements broadcast to the slice.
absl::Status AssignSlice(const DenseTensor& x, const AssignedElements& value,
                         const AssignedSlice& slice, DenseTensor* out);

template <typename S>
inline constexpr auto kSetValueSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SetValueKernel(const CpuContext&, const SetValueArgs& args) {
  const AssignedSlice slice = {args.axes,  args.starts,        args.ends,
                               args.steps, args.decrease_axes, args.none_axes};
  if (args.value_tensor != nullptr) {
    return AssignSlice(
        args.x,
        {args.value_tensor->raw_data(), args.value_tensor->shape(),
         args.value_tensor->strides()},
        slice, args.out);
  }
  Shape own;
  for (const int64_t extent : args.shape) own.push_back(extent);
  std::string elements(args.values.size() * sizeof(T), '\0');
  for (size_t i = 0; i < args.values.size(); ++i) {
    const T value = args.values[i].to<T>();
    std::memcpy(&elements[i * sizeof(T)], &value, sizeof(T));
  }
  return AssignSlice(args.x, {elements.data(), own, ContiguousStrides(own)},
                     slice, args.out);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_SET_VALUE_H_

// SPDX-License-Identifier: Apache-2.0
// Condition: one thing that a kernel demands of a call.
#ifndef SWITCHYARD_PHI_CORE_CONDITION_H_
#define SWITCHYARD_PHI_CORE_CONDITION_H_

#include <cstddef>
#include <cstdint>

namespace switchyard::phi {

// One thing that a kernel demands of a call, as constant data. Selection
// evaluates it (phi/selection/conditions.h) to true, false or, while a Dim is
// unknown, undecided; explain prints it. A kernel never refuses by code. dtype,
// layout and tensor kind are in the key and the ArgDefs. Conditions are made by
// the functions of phi/core/kernel_spec.h: a kernel for rows of at least 512,
//   KernelSpec<S>().When(ItemElementsAtLeast(S::kX, 512))
// refuses x of shape [8, 100], and explain says "numel(x[0]) must be at least
// 512, got 100". It lives as long as its KernelDef and is never changed.
struct Condition {
  enum class Kind : uint8_t {
    kRankAtLeast,          // rank(input) >= value
    kRankAtMost,           // rank(input) <= value
    kItemElementsAtLeast,  // elements of an item of the batch, that is of
                           // all axes of `input` but the first, >= value
    kElementsAtMost,       // numel(input) <= value
    kExtentAtLeast,        // extent(input, axis) >= value; axis may be negative
    kExtentAtMost,         // extent(input, axis) <= value
    kContiguous,           // input is contiguous (not merely made so)
    kAttrEquals,           // integer, bool or enumerated attribute == value
    kWorkAtLeast,    // the product of all extents of `input` times the last
                     // extent of input number `axis` >= value: matmul's size
    kSameShape,      // shape(input) == shape(input number `axis`)
    kDeviceAtLeast,  // number `axis` of DeviceInfo::property_names, of the
                     // call's device, >= value
    kAnyOf,          // one of the `value` conditions that follow holds; groups
                     // do not nest
    kPostOpsAmong,  // attribute of the type post_ops: at most `axis` functions,
                    // each of the set of PostOpKinds whose bits are `value`
  };
  Kind kind;
  int16_t input = 0;  // Argument number of the tensor.
  int16_t attr = 0;   // Argument number of the attribute.
  int8_t axis = 0;
  int64_t value = 0;
};

// Returns how many entries of a kernel's list `first` and what belongs to it
// take: more than one for a group.
constexpr size_t NumEntries(const Condition& first) {
  if (first.kind != Condition::Kind::kAnyOf) return 1;
  return 1 + static_cast<size_t>(first.value);
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_CONDITION_H_

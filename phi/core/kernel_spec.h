// SPDX-License-Identifier: Apache-2.0
// KernelSpec: the demands of a kernel, one constant expression beside its
// function: what differs from "every tensor dense, contiguous, of the key's
// dtype", and the place of the function. The constructors of ArgDefs and
// Conditions are below it.
#ifndef SWITCHYARD_PHI_CORE_KERNEL_SPEC_H_
#define SWITCHYARD_PHI_CORE_KERNEL_SPEC_H_

#include <array>
#include <cstdint>
#include <initializer_list>

#include "framework/types/post_ops.h"
#include "phi/core/kernel_def.h"

namespace switchyard::phi {

// The demands of a kernel for the operator of `SignatureType`, a generated
// signature (phi/core/signatures). Each method returns a changed copy, so that
// a spec is one expression:
//   template <typename S>
//   inline constexpr auto kGatherSpec =
//       KernelSpec<S>().Input(S::kIndex, OneOf(kIndexDtypes));
template <typename SignatureType, size_t kConditions = 0>
struct KernelSpec {
  using Signature = SignatureType;
  std::array<ArgDef, SignatureType::kNumInputs> inputs = {};
  std::array<ArgDef, SignatureType::kNumOutputs> outputs = {};
  std::array<Condition, kConditions> conditions = {};
  bool thread_invariant = true;
  bool empty_ok = true;
  bool keeps_layout = false;
  DataLayout layout_class = DataLayout::kStrided;
  LayoutFunction layouts = nullptr;
  const char* file;
  int line;

  // The defaults are the place of the call.
  constexpr explicit KernelSpec(const char* file = __builtin_FILE(),
                                int line = __builtin_LINE())
      : file(file), line(line) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs[i].kind = SignatureType::kInputKinds[i];
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      outputs[i].kind = SignatureType::kOutputKinds[i];
    }
  }

  // Returns the same demands for a function of its own, whose place is the
  // call's.
  constexpr KernelSpec Here(const char* file = __builtin_FILE(),
                            int line = __builtin_LINE()) const {
    KernelSpec spec = *this;
    spec.file = file;
    spec.line = line;
    return spec;
  }
  // Input number `i` (SignatureType::kX...), or output, is as `def` says; its
  // kind stays, as the entry says it.
  constexpr KernelSpec Input(int i, ArgDef def) const {
    KernelSpec spec = *this;
    def.kind = spec.inputs[i].kind;
    spec.inputs[i] = def;
    return spec;
  }
  // Each of `numbers` is as `def` says.
  constexpr KernelSpec Inputs(std::initializer_list<int> numbers,
                              ArgDef def) const {
    KernelSpec spec = *this;
    for (int i : numbers) spec = spec.Input(i, def);
    return spec;
  }
  constexpr KernelSpec Output(int i, ArgDef def) const {
    KernelSpec spec = *this;
    def.kind = spec.outputs[i].kind;
    spec.outputs[i] = def;
    return spec;
  }
  // Every input takes any strides.
  constexpr KernelSpec AllStrided() const {
    KernelSpec spec = *this;
    for (ArgDef& def : spec.inputs) def.strided = true;
    return spec;
  }
  // The bits depend on the number of threads: admitted only where the policy
  // says so.
  constexpr KernelSpec ThreadVariant() const {
    KernelSpec spec = *this;
    spec.thread_invariant = false;
    return spec;
  }
  // The kernel is not called with inputs that have no elements; another must
  // be.
  constexpr KernelSpec NoEmpty() const {
    KernelSpec spec = *this;
    spec.empty_ok = false;
    return spec;
  }
  // Inputs may have one layout without padding, which the outputs then have.
  constexpr KernelSpec KeepsLayout() const {
    KernelSpec spec = *this;
    spec.keeps_layout = true;
    return spec;
  }
  // The kernel takes and yields tensors in the layouts that `function` says,
  // which are of a class or strided.
  constexpr KernelSpec Layouts(DataLayout layout_class,
                               LayoutFunction function) const {
    KernelSpec spec = *this;
    spec.layout_class = layout_class;
    spec.layouts = function;
    return spec;
  }
  // The kernel applies only where `condition` holds.
  constexpr KernelSpec<SignatureType, kConditions + 1> When(
      Condition condition) const {
    return When(std::array<Condition, 1>{condition});
  }
  // The kernel applies only where a member of `group` holds: AnyOf().
  template <size_t kMore>
  constexpr KernelSpec<SignatureType, kConditions + kMore> When(
      const std::array<Condition, kMore>& group) const {
    KernelSpec<SignatureType, kConditions + kMore> spec(file, line);
    spec.inputs = inputs;
    spec.outputs = outputs;
    spec.thread_invariant = thread_invariant;
    spec.empty_ok = empty_ok;
    spec.keeps_layout = keeps_layout;
    spec.layout_class = layout_class;
    spec.layouts = layouts;
    for (size_t i = 0; i < kConditions; ++i) spec.conditions[i] = conditions[i];
    for (size_t i = 0; i < kMore; ++i) {
      spec.conditions[kConditions + i] = group[i];
    }
    return spec;
  }
  // Returns the spec of the kernel of a dtype: this one.
  constexpr const KernelSpec& For(DataType) const { return *this; }
};

// Two specs of a kernel whose demands depend on its dtype:
//   SpecByDtype{DataTypeSet(DataType::kBool),
//               KernelSpec<S>().Output(S::kOut, OneOf(kIndexDtypes)),
//               KernelSpec<S>()}
template <typename Spec>
struct SpecByDtype {
  using Signature = typename Spec::Signature;
  DataTypeSet dtypes;
  Spec of_dtypes;
  Spec of_others;

  constexpr const Spec& For(DataType dtype) const {
    return dtypes.contains(dtype) ? of_dtypes : of_others;
  }
};
template <typename Spec>
SpecByDtype(DataTypeSet, Spec, Spec) -> SpecByDtype<Spec>;

// ArgDefs. Contiguous and of the key's dtype unless said otherwise.
constexpr ArgDef AnyStrides() {
  ArgDef def;
  def.strided = true;
  return def;
}
// The dtypes of indices.
inline constexpr DataTypeSet kIndexDtypes(DataType::kInt32, DataType::kInt64);
// Return the demand for one dtype, for one of a set, or for any, whatever the
// key's is.
constexpr ArgDef Fixed(DataType dtype) {
  ArgDef def;
  def.dtype_rule = ArgDef::Dtype::kFixed;
  def.fixed = dtype;
  return def;
}
constexpr ArgDef OneOf(DataTypeSet set) {
  ArgDef def;
  def.dtype_rule = ArgDef::Dtype::kSet;
  def.set = set;
  return def;
}
constexpr ArgDef AnyDtype() {
  ArgDef def;
  def.dtype_rule = ArgDef::Dtype::kAny;
  return def;
}
// Returns `def` for an input that is read on the host whatever the call's
// place.
constexpr ArgDef OnHost(ArgDef def) {
  def.host = true;
  return def;
}
// Return `def` for a tensor with any strides, or of any layout.
constexpr ArgDef WithAnyStrides(ArgDef def) {
  def.strided = true;
  return def;
}
constexpr ArgDef WithAnyLayout(ArgDef def) {
  def.any_layout = true;
  return def;
}
// Returns `def` for an output that comes without memory and that the kernel
// allocates, since its size depends on data or it is not dense.
constexpr ArgDef SelfAllocated(ArgDef def) {
  def.self_allocated = true;
  return def;
}

// Conditions. Arguments are positions: SignatureType::kX, kAxis, ... What each
// kind demands is said in phi/core/condition.h.
constexpr Condition RankAtLeast(int input, int rank) {
  return {Condition::Kind::kRankAtLeast, static_cast<int16_t>(input), 0, 0,
          rank};
}
constexpr Condition RankAtMost(int input, int rank) {
  return {Condition::Kind::kRankAtMost, static_cast<int16_t>(input), 0, 0,
          rank};
}
// Demands at least `count` elements of each item of the batch. A condition on
// all elements would choose another kernel, and so other bits, for the same row
// in a larger batch.
constexpr Condition ItemElementsAtLeast(int input, int64_t count) {
  return {Condition::Kind::kItemElementsAtLeast, static_cast<int16_t>(input), 0,
          0, count};
}
constexpr Condition ElementsAtMost(int input, int64_t count) {
  return {Condition::Kind::kElementsAtMost, static_cast<int16_t>(input), 0, 0,
          count};
}
constexpr Condition ExtentAtLeast(int input, int axis, int64_t extent) {
  return {Condition::Kind::kExtentAtLeast, static_cast<int16_t>(input), 0,
          static_cast<int8_t>(axis), extent};
}
constexpr Condition ExtentAtMost(int input, int axis, int64_t extent) {
  return {Condition::Kind::kExtentAtMost, static_cast<int16_t>(input), 0,
          static_cast<int8_t>(axis), extent};
}
constexpr Condition IsContiguous(int input) {
  return {Condition::Kind::kContiguous, static_cast<int16_t>(input)};
}
constexpr Condition AttrEquals(int attr, int64_t value) {
  return {Condition::Kind::kAttrEquals, 0, static_cast<int16_t>(attr), 0,
          value};
}
constexpr Condition WorkAtLeast(int input, int by_last_of, int64_t work) {
  return {Condition::Kind::kWorkAtLeast, static_cast<int16_t>(input), 0,
          static_cast<int8_t>(by_last_of), work};
}
// Demands one shape of two inputs: none is broadcast.
constexpr Condition SameShape(int input, int other) {
  return {Condition::Kind::kSameShape, static_cast<int16_t>(input), 0,
          static_cast<int8_t>(other)};
}
// `property`: its position in DeviceInfo::property_names of the device that the
// kernel is for.
constexpr Condition DeviceAtLeast(int property, int64_t value) {
  return {Condition::Kind::kDeviceAtLeast, 0, 0, static_cast<int8_t>(property),
          value};
}
// Demands that one of `members` holds, which are conditions:
//   KernelSpec<S>().When(AnyOf(RankAtMost(S::kX, 2), AttrEquals(S::kAxis, 0)))
template <typename... Members>
constexpr std::array<Condition, sizeof...(Members) + 1> AnyOf(
    Members... members) {
  static_assert(sizeof...(Members) > 1, "one condition needs no group");
  return {Condition{Condition::Kind::kAnyOf, 0, 0, 0, sizeof...(Members)},
          members...};
}
constexpr Condition PostOpsAmong(int attr, PostOpKinds kinds, int at_most) {
  return {Condition::Kind::kPostOpsAmong, 0, static_cast<int16_t>(attr),
          static_cast<int8_t>(at_most), kinds.bits()};
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_KERNEL_SPEC_H_

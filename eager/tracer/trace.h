// SPDX-License-Identifier: Apache-2.0
// Trace: an operator called by its legacy name, slots and attributes, on the
// road of every eager call (eager/run.h): Trace("matmul_v2", {{"X", {x}},
// {"Y", {y}}}, {{"trans_x", true}}). Code that knows its operator calls its
// function (eager/ops) instead. What names mean is phi/legacy's.
#ifndef SWITCHYARD_EAGER_TRACER_TRACE_H_
#define SWITCHYARD_EAGER_TRACER_TRACE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "eager/tensor.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"

namespace switchyard::eager {

// A slot and its tensors, several only in a duplicable one.
struct SlotTensors {
  std::string slot;
  std::vector<Tensor> tensors;
  bool duplicable = false;  // Of outputs: how the form declares the slot.
};

struct LegacyAttribute {
  std::string name;
  Attribute value;
};

// True if Trace knows the type.
bool HasLegacyType(std::string_view type);

// True if the value of that attribute matters to Trace: it reads no other.
bool ReadsLegacyAttribute(std::string_view type, std::string_view attr);

// The outputs by legacy slot, in the form's order, those that the operator
// yields. Attributes that are not given have their legacy defaults; extra ones
// (use_mkldnn, op_role, ...) are dropped; an attribute may be supplied by a
// tensor where the form says so (ScaleTensor). Gradients are recorded as for
// any call.
//
// NotFound for an unknown type; ArgumentError for a slot or attribute that is
// unknown, missing or there twice, and TypeError for an attribute of another
// type, in legacy names after "<type>: "; what Run reports.
absl::StatusOr<std::vector<SlotTensors>> Trace(
    std::string_view type, absl::Span<const SlotTensors> inputs,
    absl::Span<const LegacyAttribute> attrs);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_TRACER_TRACE_H_

// SPDX-License-Identifier: Apache-2.0
// RunLegacyOp: an operator called by its legacy name, slots and attributes:
//   RunLegacyOp("matmul_v2", {{"X", {x}}, {"Y", {y}}}, {{"trans_x", true}});
// It takes the path of every eager call (eager/call/run.h). Code that knows its
// operator calls its function (eager/ops) instead. phi/legacy/forms says what
// the names mean.
#ifndef SWITCHYARD_EAGER_LEGACY_RUN_LEGACY_OP_H_
#define SWITCHYARD_EAGER_LEGACY_RUN_LEGACY_OP_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "eager/tensor/tensor.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"

namespace switchyard::eager {

// A slot and its tensors; only a duplicable slot has several.
struct SlotTensors {
  std::string slot;
  std::vector<Tensor> tensors;
  bool duplicable = false;  // Of outputs: how the form declares the slot.
};

// An attribute of a legacy call, by its legacy name.
struct LegacyAttribute {
  std::string name;
  Attribute value;
};

// Returns true if RunLegacyOp knows the type.
bool HasLegacyType(std::string_view type);

// Returns true if the operator of that type has a gradient, or is made of
// others, which may have some, whether or not there is a legacy type of it.
bool IsDifferentiableLegacyType(std::string_view type);

// Returns true if RunLegacyOp reads that attribute of the type.
bool ReadsLegacyAttribute(std::string_view type, std::string_view attr);

// Calls the operator and returns its outputs by legacy slot, in the form's
// order, those that the operator yields. Attributes that are not given have
// their legacy defaults; those of which no value changes a result (op_role,
// ...) are dropped; an attribute may be supplied by a tensor where the form
// says so (ScaleTensor). Gradients are recorded as for any call.
//
// The call runs where op_device, force_cpu or place_type say, on copies of the
// tensors that lie elsewhere, and its outputs lie there; a tensor that it
// writes must lie there before. A seed decides a random operator's numbers
// alone, the same ones in each call, though not PaddlePaddle's. With use_mkldnn
// (use_cudnn) given as false no kernel of oneDNN (cuDNN) serves the call; given
// as true, it may be one that waits for calls that ask
// (phi/core/library_asked.h). Its gradient follows the thread's policy when it
// is computed.
//
// NotFound for an unknown type; ArgumentError for a slot or attribute that is
// unknown, missing or there twice, and TypeError for an attribute of another
// type, in legacy names after "<type>: "; further whatever Run reports.
absl::StatusOr<std::vector<SlotTensors>> RunLegacyOp(
    std::string_view type, absl::Span<const SlotTensors> inputs,
    absl::Span<const LegacyAttribute> attrs);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_LEGACY_RUN_LEGACY_OP_H_

// SPDX-License-Identifier: Apache-2.0
#include "eager/call/cast_inputs.h"

#include <utility>

#include "eager/call/autograd_ops.h"
#include "eager/call/run.h"
#include "phi/promotion/autocast.h"
#include "phi/promotion/op_promotion.h"

namespace switchyard::eager {
namespace {

bool Present(const Tensor* tensor) {
  return tensor != nullptr && tensor->defined();
}

DataType DtypeOf(const Tensor* tensor) {
  return Present(tensor) ? tensor->dtype() : DataType::kUndefined;
}

absl::Status CastSlot(const EagerOp& op, int slot, DataType dtype,
                      CallInputs* inputs) {
  const AttrRef attrs[] = {dtype};
  Tensor cast;
  SY_RETURN_IF_ERROR(Run(op.autograd->cast(), {inputs->all()[slot]}, attrs,
                         absl::MakeSpan(&cast, 1)));
  inputs->Replace(slot, std::move(cast));
  return absl::OkStatus();
}

}  // namespace

void CallInputs::Replace(int slot, Tensor tensor) {
  if (replacements_ == nullptr) {
    replacements_ = std::make_unique<Replacements>();
    const absl::Span<const Tensor* const> given = all_.elements();
    replacements_->inputs.assign(given.begin(), given.end());
    replacements_->own.resize(given.size());
    all_ = {replacements_->inputs, all_.segments()};
  }
  Tensor& own = replacements_->own[static_cast<size_t>(slot)];
  own = std::move(tensor);
  replacements_->inputs[static_cast<size_t>(slot)] = &own;
}

absl::Status CastAutocast(const EagerOp& op, CallInputs* inputs) {
  using phi::promotion::IsAutocast;
  const DataType target =
      phi::promotion::AutocastTarget(*op.info, inputs->all(), DtypeOf);
  if (target == DataType::kUndefined) return absl::OkStatus();
  for (size_t slot = 0; slot < inputs->all().size(); ++slot) {
    const DataType dtype = DtypeOf(inputs->all()[slot]);
    if (!IsAutocast(dtype) || dtype == target) continue;
    SY_RETURN_IF_ERROR(CastSlot(op, static_cast<int>(slot), target, inputs));
  }
  return absl::OkStatus();
}

absl::Status CastPromoted(const EagerOp& op, CallInputs* inputs) {
  const phi::OpInfo& info = *op.info;
  const absl::StatusOr<DataType> dtype = phi::promotion::PromotedDtype(
      info, inputs->all(), [](const Tensor* input) {
        using phi::promotion::InputType;
        return Present(input) ? InputType{input->dtype(), input->rank() == 0}
                              : InputType();
      });
  if (!dtype.ok()) return Annotate(dtype.status(), info.name);
  if (*dtype == DataType::kUndefined) return absl::OkStatus();
  const InputTensors given = inputs->all();
  for (const auto [argument, slot, input] : given) {
    if (!Present(input) || !phi::promotion::IsPromoted(info, argument) ||
        input->dtype() == *dtype) {
      continue;
    }
    SY_RETURN_IF_ERROR(CastSlot(op, slot, *dtype, inputs));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::eager

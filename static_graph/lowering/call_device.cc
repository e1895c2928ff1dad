// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/call_device.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "phi/selection/query.h"
#include "static_graph/dialect/kernel_attributes.h"

namespace switchyard::static_graph {

absl::StatusOr<std::optional<Place>> DeviceOf(const ir::Operation& op,
                                              const OpCall& call, Place home) {
  const ir::Attribute device = op.attribute(kOpDeviceAttr);
  if (!device) return std::nullopt;
  const std::optional<Place> place = ParsePlaceNear(device.text(), home);
  if (place == home || place == Place::Cpu()) return place;
  return Annotate(
      ArgumentError(kOpDeviceAttr,
                    absl::StrCat(ToString(home), ", where the program runs",
                                 home == Place::Cpu() ? "" : ", or cpu"),
                    device.text()),
      call.op->info->name);
}

absl::Status CheckCopies(const OpCall& call, const char* why, Place home) {
  const phi::OpInfo& op = *call.op->info;
  const auto check = [&](const std::string& name, ir::Value value) {
    const TensorKind kind = value.tensor_type().kind();
    if (kind == TensorKind::kDense || kind == TensorKind::kSelectedRows) {
      return absl::OkStatus();
    }
    return absl::UnimplementedError(absl::StrCat(
        op.name, ": ", name, " must be dense or SelectedRows for ", why,
        " from ", ToString(home), " to ", ToString(Place::Cpu()),
        " in a program, got ", std::string(Name(kind))));
  };
  for (const auto [argument, slot, input] : call.inputs.view()) {
    if (!input) continue;
    SY_RETURN_IF_ERROR(check(
        phi::selection::SlotName(op, call.inputs.segments(), slot), input));
  }
  for (const auto [argument, slot, output] : call.outputs.view()) {
    if (!output) continue;
    SY_RETURN_IF_ERROR(check(op.outputs[argument].name, output));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph

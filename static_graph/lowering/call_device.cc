// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/call_device.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "framework/device/device_info.h"
#include "phi/selection/query.h"
#include "static_graph/dialect/kernel_attributes.h"

namespace switchyard::static_graph {
namespace {

using phi::selection::Selection;

// Whether all results have memory before a kernel of the host runs.
bool KnowsResults(const Selection& selection) {
  const auto allocates = [](const phi::KernelDef* kernel) {
    return std::any_of(
        kernel->outputs.begin(), kernel->outputs.end(),
        [](const phi::ArgDef& output) { return output.self_allocated; });
  };
  return std::none_of(selection.residual.begin(), selection.residual.end(),
                      allocates) &&
         (selection.kernel == nullptr || !allocates(selection.kernel));
}

}  // namespace

bool Serves(const phi::KernelDef& kernel, Place place) {
  return kernel.key.backend->device == FindDevice(place.type);
}

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

bool MayFallBack(const Selection& selection, Place home) {
  if (selection.kernel != nullptr) return selection.fallback;
  return std::none_of(
      selection.residual.begin(), selection.residual.end(),
      [home](const phi::KernelDef* kernel) { return Serves(*kernel, home); });
}

absl::Status DecideFallback(const OpCall& call, Place home,
                            const phi::selection::Policy& policy,
                            Selection* selection) {
  auto& residual = selection->residual;
  const auto own = [home](const phi::KernelDef* kernel) {
    return Serves(*kernel, home);
  };
  const bool undecided = std::any_of(residual.begin(), residual.end(), own);
  if (selection->kernel != nullptr && !undecided) return absl::OkStatus();
  if (KnowsResults(*selection)) {
    selection->fallback = false;
    return absl::OkStatus();
  }
  if (policy.strict || selection->kernel == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        call.op->info->name,
        policy.strict ? ": a strict policy forbids the fallback from "
                      : ": there can be no fallback from ",
        ToString(home), " to ", ToString(Place::Cpu()),
        ", which no run can decide for a result that its kernel allocates"));
  }
  residual.erase(std::remove_if(residual.begin(), residual.end(), own),
                 residual.end());
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph

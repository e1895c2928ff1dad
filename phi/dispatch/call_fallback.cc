// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/call_fallback.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/device/transfer.h"
#include "phi/dispatch/call_inputs.h"
#include "phi/dispatch/transforms.h"
#include "phi/selection/fallback_log.h"

namespace switchyard::phi::dispatch {
namespace {

int64_t ByteSize(const DenseTensor& tensor) {
  return tensor.numel() * static_cast<int64_t>(ElementSize(tensor.dtype()));
}

// Returns the bytes of the elements that a copy moves.
int64_t ByteSize(const TensorBase* tensor) {
  return ByteSize(tensor->kind() == TensorKind::kSelectedRows
                      ? Rows(tensor).values()
                      : Dense(tensor));
}

// A copy of a tensor that CheckFallback() let through.
absl::Status CopyTo(Place place, TensorBase* tensor) {
  if (tensor->kind() == TensorKind::kSelectedRows) {
    auto& rows = *static_cast<SelectedRows*>(tensor);
    SY_ASSIGN_OR_RETURN(DenseTensor values, Copied(rows.values(), place));
    rows = WithValues(rows, std::move(values));
    return absl::OkStatus();
  }
  auto& dense = *static_cast<DenseTensor*>(tensor);
  SY_ASSIGN_OR_RETURN(dense, Copied(dense, place));
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckFallback(const CallState& call) {
  const auto check = [&](const std::string& name, const TensorBase& tensor,
                         bool written) {
    if (tensor.kind() == TensorKind::kDense ||
        (tensor.kind() == TensorKind::kSelectedRows && !written)) {
      return absl::OkStatus();
    }
    return absl::UnimplementedError(absl::StrCat(
        name, " must be dense", written ? "" : " or SelectedRows",
        " for a fallback from ", ToString(call.query.place), " to ",
        ToString(call.run_place), written ? " that writes it in place" : "",
        ", got ", std::string(Name(tensor.kind()))));
  };
  for (const selection::Transform& transform : call.selection.transforms) {
    SY_RETURN_IF_ERROR(check(
        selection::SlotName(call.info, call.inputs.segments(), transform.slot),
        *call.inputs[transform.slot], false));
  }
  for (const auto [argument, slot, output] : call.outputs) {
    if (output == nullptr) continue;
    SY_RETURN_IF_ERROR(
        check(call.info.outputs[argument].name, *output, output->allocated()));
  }
  return absl::OkStatus();
}

absl::Status WriteToCopy(CallState& call, DenseTensor* output) {
  SY_ASSIGN_OR_RETURN(DenseTensor copy, Copied(*output, call.run_place));
  MutableReplacements(call).written.emplace_back(output, *output);
  *output = std::move(copy);
  return absl::OkStatus();
}

void RestoreWritten(CallState& call) {
  if (call.replacements == nullptr) return;
  for (const auto& [output, given] : call.replacements->written)
    *output = given;
  call.replacements->written.clear();
}

absl::Status ReturnFromFallback(CallState& call) {
  int64_t bytes = 0;
  for (const selection::Transform& transform : call.selection.transforms) {
    if (transform.kind != selection::Transform::Kind::kCopy) continue;
    bytes += ByteSize(call.inputs[transform.slot]);
  }
  if (call.replacements != nullptr) {
    for (auto& [output, given] : call.replacements->written) {
      SY_RETURN_IF_ERROR(CopyBytes(BytesOf(*output), BytesOf(given),
                                   static_cast<size_t>(ByteSize(given))));
      bytes += ByteSize(given);
    }
  }
  RestoreWritten(call);
  for (TensorBase* output : call.outputs.elements()) {
    if (output == nullptr || output->place() != call.run_place ||
        output->dtype() == DataType::kUndefined) {
      continue;
    }
    bytes += ByteSize(output);
    SY_RETURN_IF_ERROR(CopyTo(call.query.place, output));
  }
  selection::LogFallback({call.info.name, /*location=*/"", call.query.place,
                          call.run_place, bytes, 1});
  return absl::OkStatus();
}

}  // namespace switchyard::phi::dispatch

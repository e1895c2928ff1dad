// SPDX-License-Identifier: Apache-2.0
#include "eager/legacy/attribute_from_tensor.h"

#include "absl/strings/str_cat.h"
#include "phi/core/supplied_attribute.h"
#include "phi/legacy/forms/legacy_call.h"

namespace switchyard::eager {
namespace {

absl::Status Check(std::string_view slot, const Tensor& tensor) {
  if (tensor.defined() && tensor.kind() == TensorKind::kDense &&
      tensor.dense().allocated() && tensor.dense().contiguous() &&
      tensor.place() == Place::Cpu()) {
    return absl::OkStatus();
  }
  return ArgumentError(slot, "a contiguous tensor on the CPU",
                       ToString(tensor));
}

}  // namespace

absl::StatusOr<Attribute> AttributeFromTensor(std::string_view slot,
                                              absl::Span<const Tensor> tensors,
                                              AttrType to) {
  phi::SuppliedNumbers read;
  for (const Tensor& tensor : tensors) {
    SY_RETURN_IF_ERROR(Check(slot, tensor));
    SY_RETURN_IF_ERROR(phi::ReadNumbers(slot, tensor.dense(), &read));
  }
  const auto& [integers, numbers] = read;
  if (to == AttrType::kInts || to == AttrType::kInt64s) {
    if (!numbers.empty()) return TypeError(slot, Name(to), "floating numbers");
    return phi::ConvertAttribute(
        slot, AttrRef(absl::Span<const int64_t>(integers)), to);
  }
  if (to == AttrType::kFloats) {
    if (!integers.empty()) return TypeError(slot, Name(to), "integers");
    return phi::ConvertAttribute(slot, AttrRef(absl::MakeConstSpan(numbers)),
                                 to);
  }
  if (integers.size() + numbers.size() != 1) {
    return ArgumentError(slot, "one element",
                         absl::StrCat(integers.size() + numbers.size()));
  }
  return phi::ConvertAttribute(
      slot, numbers.empty() ? AttrRef(integers[0]) : AttrRef(numbers[0]), to);
}

}  // namespace switchyard::eager

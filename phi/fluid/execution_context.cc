// SPDX-License-Identifier: Apache-2.0
#include "phi/fluid/execution_context.h"

#include "absl/strings/str_cat.h"

namespace switchyard::phi::fluid {
namespace {

// Our argument behind a slot; -1 if there is none.
int ArgumentOf(const LegacySlot* slot) {
  return slot == nullptr ? -1 : slot->argument;
}

}  // namespace

const DenseTensor* ExecutionContext::Input(std::string_view slot) const {
  const int argument = ArgumentOf(form_.input(slot));
  if (argument < 0) return nullptr;
  return static_cast<const DenseTensor*>(call_.inputs.optional(argument));
}

DenseTensor* ExecutionContext::Output(std::string_view slot) const {
  const int argument = ArgumentOf(form_.output(slot));
  if (argument < 0) return nullptr;
  return static_cast<DenseTensor*>(call_.outputs.optional(argument));
}

void ExecutionContext::ShareLod(std::string_view input,
                                std::string_view output) const {
  const DenseTensor* from = Input(input);
  DenseTensor* to = Output(output);
  if (from != nullptr && to != nullptr) to->SetLod(from->lod());
}

absl::StatusOr<AttrRef> ExecutionContext::FindAttr(std::string_view name,
                                                   AttrType type) const {
  const LegacyAttr* attr = form_.attr(name);
  if (attr == nullptr) {
    return absl::InternalError(absl::StrCat("attribute '", std::string(name),
                                            "' must be one of ", form_.type));
  }
  const AttrRef value = call_.attrs[attr->attr];
  if (value.type() != type) {
    return absl::InternalError(absl::StrCat(
        "attribute '", std::string(name), "' must be read as ",
        std::string(Name(value.type())), ", got ", std::string(Name(type))));
  }
  return value;
}

}  // namespace switchyard::phi::fluid

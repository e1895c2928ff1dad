// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of texts.
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/tensor/counted_texts.h"
#include "framework/tensor/string_tensor.h"
#include "library/call.h"
#include "library/session.h"

namespace switchyard::library {

absl::Status Of(const char* what, const std::string& name,
                const absl::Status& status) {
  return Annotate(status, absl::StrCat(what, " '", name, "'"));
}

absl::Status Session::SetTexts(const char* name, const Shape& shape,
                               const char* const* texts, const size_t* sizes) {
  SY_ASSIGN_OR_RETURN(Input* const input,
                      InputFor(name, TensorKind::kStrings, DataType::kString));
  std::vector<std::string> elements;
  for (int64_t i = 0; i < shape.numel(); ++i) {
    SY_RETURN_IF_ERROR(
        Of("input", name, CheckThere(absl::StrCat("text ", i), texts[i])));
    const size_t size = sizes == nullptr ? std::strlen(texts[i]) : sizes[i];
    elements.emplace_back(texts[i], size);
  }
  absl::StatusOr<StringTensor> tensor =
      CountedTexts(shape, std::move(elements));
  if (!tensor.ok()) return Of("input", name, tensor.status());
  input->texts = std::make_shared<const StringTensor>(*std::move(tensor));
  return absl::OkStatus();
}

absl::StatusOr<const std::string*> Session::Text(const char* name,
                                                 size_t position) {
  SY_ASSIGN_OR_RETURN(const Fetched* const output, Result(name));
  const TensorBase& tensor = output->value.base();
  if (tensor.kind() != TensorKind::kStrings) {
    return Of(
        "output", name,
        TypeError("kind", Name(TensorKind::kStrings), Name(tensor.kind())));
  }
  const std::vector<std::string>& texts =
      static_cast<const StringTensor&>(tensor).elements();
  if (position >= texts.size()) {
    return Of("output", name,
              RangeError("position", absl::StrCat("in [0, ", texts.size(), ")"),
                         absl::StrCat(position)));
  }
  return &texts[position];
}

}  // namespace switchyard::library

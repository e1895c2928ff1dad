// SPDX-License-Identifier: Apache-2.0
#include "library/counted_texts.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace switchyard::library {
namespace {

// The bytes of the texts and of what refers to them; a short text lies inside.
int64_t BytesOf(const StringTensor& tensor) {
  const size_t inside = std::string().capacity();
  size_t bytes = tensor.elements().capacity() * sizeof(std::string);
  for (const std::string& text : tensor.elements()) {
    if (text.capacity() > inside) bytes += text.capacity() + 1;
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const CountedTexts>> CountedTexts::Count(
    const StringTensor& tensor, MemoryMeter* meter) {
  const int64_t bytes = BytesOf(tensor);
  // Made first, since there may be no memory for it.
  std::shared_ptr<CountedTexts> counted(new CountedTexts(meter));
  if (!meter->Take(bytes)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "memory: texts of ", bytes, " bytes must fit in the limit of ",
        meter->limit(), " bytes, got ", meter->bytes(), " in use"));
  }
  counted->bytes_ = bytes;
  return counted;
}

}  // namespace switchyard::library

// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/string_tensor.h"

#include <cassert>
#include <utility>

namespace switchyard {
namespace {

TensorMeta StringsMeta(const Shape& shape) {
  TensorMeta meta;
  meta.dtype = DataType::kString;
  meta.kind = TensorKind::kStrings;
  meta.shape = shape;
  return meta;
}

// A buffer without bytes, which says that the tensor was made: the texts have
// memory of their own.
RefPtr<Buffer> NoBytes() {
  return Buffer::Wrap(
      nullptr, 0, Place::Cpu(), [](void*) {}, nullptr);
}

}  // namespace

StringTensor::StringTensor(const Shape& shape,
                           std::vector<std::string> elements)
    : TensorBase(StringsMeta(shape), NoBytes()),
      elements_(std::make_shared<const std::vector<std::string>>(
          std::move(elements))) {
  assert(shape.numel() == static_cast<int64_t>(elements_->size()));
}

const std::vector<std::string>& StringTensor::elements() const {
  static const std::vector<std::string> kNone;  // Owns nothing.
  return elements_ == nullptr ? kNone : *elements_;
}

}  // namespace switchyard

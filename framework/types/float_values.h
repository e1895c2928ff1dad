// SPDX-License-Identifier: Apache-2.0
// FloatValue, DoubleValue and FloatValues: float, double and float[] attributes
// that tensors may supply, as InferMeta sees them. Integers that tensors may
// supply are AttrValues (attr_value.h).
#ifndef SWITCHYARD_FRAMEWORK_TYPES_FLOAT_VALUES_H_
#define SWITCHYARD_FRAMEWORK_TYPES_FLOAT_VALUES_H_

#include <optional>

#include "absl/types/span.h"
#include "framework/types/attribute.h"

namespace switchyard {

// The number; nullopt where a tensor supplies it while a program runs.
using FloatValue = std::optional<float>;

template <>
inline FloatValue AttrRef::Get<FloatValue>() const {
  if (supplied()) return std::nullopt;
  return Get<float>();
}

// Likewise a double.
using DoubleValue = std::optional<double>;

template <>
inline DoubleValue AttrRef::Get<DoubleValue>() const {
  if (supplied()) return std::nullopt;
  return Get<double>();
}

// The numbers; nullopt where tensors supply them while a program runs.
using FloatValues = std::optional<absl::Span<const float>>;

template <>
inline FloatValues AttrRef::Get<FloatValues>() const {
  if (supplied()) return std::nullopt;
  return Get<absl::Span<const float>>();
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_FLOAT_VALUES_H_

// SPDX-License-Identifier: Apache-2.0
#include "framework/types/scalar.h"

#include "framework/base/float_text.h"

namespace switchyard {

std::string ToString(const Scalar& scalar) {
  if (scalar.is_complex()) return ComplexText(scalar.ToComplex());
  if (scalar.is_float()) return ShortestText(scalar.ToDouble());
  if (scalar.is_bool()) return scalar.ToInt64() != 0 ? "true" : "false";
  return std::to_string(scalar.ToInt64());
}

}  // namespace switchyard

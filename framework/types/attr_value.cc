// SPDX-License-Identifier: Apache-2.0
#include "framework/types/attr_value.h"

namespace switchyard {

std::string ToString(AttrValue value) {
  return value.known() ? std::to_string(value.value()) : ToString(value.dim());
}

bool AttrValues::known() const {
  for (size_t i = 0; i < size_; ++i) {
    if (!(*this)[i].known()) return false;
  }
  return true;
}

std::string ToString(AttrValues values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += ToString(values[i]);
  }
  return text + "]";
}

}  // namespace switchyard

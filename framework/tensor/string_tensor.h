// SPDX-License-Identifier: Apache-2.0
// StringTensor: a tensor of texts.
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_STRING_TENSOR_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_STRING_TENSOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/tensor/tensor_base.h"
#include "framework/types/shape.h"

namespace switchyard {

// Holds a text, any bytes, for each element, in the host's memory. It is a
// value: its elements never change, so a copy shares them and any number of
// threads may read it. Its dtype is DataType::kString, its kind kStrings.
class StringTensor : public TensorBase {
 public:
  // No dtype, no elements: an output before its kernel ran.
  StringTensor() : TensorBase(TensorKind::kStrings) {}
  // `elements` are in row-major order, as many as `shape` has.
  StringTensor(const Shape& shape, std::vector<std::string> elements);

  const std::vector<std::string>& elements() const;

 private:
  std::shared_ptr<const std::vector<std::string>> elements_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_STRING_TENSOR_H_

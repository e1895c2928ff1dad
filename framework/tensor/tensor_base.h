// SPDX-License-Identifier: Apache-2.0
// TensorBase: what every kind of tensor has: its kind. Kernels and executors
// hold tensors by this type and cast down after they looked at kind().
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_TENSOR_BASE_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_TENSOR_BASE_H_

#include "framework/types/tensor_kind.h"

namespace switchyard {

class TensorBase {
 public:
  TensorKind kind() const { return kind_; }

 protected:
  explicit TensorBase(TensorKind kind) : kind_(kind) {}
  TensorBase(const TensorBase&) = default;
  TensorBase& operator=(const TensorBase&) = default;
  ~TensorBase() = default;

 private:
  TensorKind kind_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_TENSOR_BASE_H_

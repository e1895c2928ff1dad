// SPDX-License-Identifier: Apache-2.0
// OwnedTensor: a tensor of a kind that is known at run time only, alone or with
// its owner: what a call makes when InferMeta has told the kinds of its
// outputs. Dense tensors, which nearly all are, are held by value instead.
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_OWNED_TENSOR_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_OWNED_TENSOR_H_

#include <memory>

#include "framework/tensor/tensor_base.h"
#include "framework/types/tensor_kind.h"

namespace switchyard {

// Deletes a tensor of any kind: TensorBase has no virtual destructor, for which
// code that knows the kind would pay too.
struct TensorDeleter {
  void operator()(TensorBase* tensor) const;
};

using OwnedTensor = std::unique_ptr<TensorBase, TensorDeleter>;

// Makes a tensor without dtype and memory: an output before its kernel ran.
OwnedTensor NewTensor(TensorKind kind);

// Makes it what NewTensor() makes: its memory is let go.
void ResetTensor(TensorBase* tensor);

// Makes `to`, which is of the same kind, a copy of `from` that shares its
// memory.
void AssignTensor(const TensorBase& from, TensorBase* to);

// Copies a tensor; the two share their memory.
OwnedTensor CopyTensor(const TensorBase& tensor);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_OWNED_TENSOR_H_

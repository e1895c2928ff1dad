// SPDX-License-Identifier: Apache-2.0
// MakeTensorOfKind: tensors of other kinds than dense for a sample that asks
// for one
// (`x: "sparse_coo float32[4, 5]"`), made of the dense tensor of its dtype,
// shape and elements.
#ifndef SWITCHYARD_TESTS_EXPLAIN_TENSOR_OF_KIND_H_
#define SWITCHYARD_TESTS_EXPLAIN_TENSOR_OF_KIND_H_

#include <memory>

#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/tensor_base.h"

namespace switchyard {

// Returns a tensor of `kind` with the elements of `dense`, which is contiguous:
// each position of a sparse one is stored, each row of selected rows is there,
// an array has the parts along axis 0. Texts are made up, since no dense tensor
// has any; then `dense` counts for its shape. Null for a kind that samples do
// not have.
std::shared_ptr<const TensorBase> MakeTensorOfKind(TensorKind kind,
                                                   const DenseTensor& dense);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_EXPLAIN_TENSOR_OF_KIND_H_

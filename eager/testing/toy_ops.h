// SPDX-License-Identifier: Apache-2.0
// A dozen operators for the tests of run and engine: the real OpInfos and
// gradients' composites over naive float64 kernels, and the OpKernels that a
// kernel set would define. Tests that use them need no kernel library. The
// generated operators are in eager/ops.
#ifndef SWITCHYARD_EAGER_TESTING_TOY_OPS_H_
#define SWITCHYARD_EAGER_TESTING_TOY_OPS_H_

#include <initializer_list>
#include <vector>

#include "eager/call/eager_op.h"
#include "eager/tensor/tensor.h"

namespace switchyard::eager::toy {

extern const EagerOp add;
extern const EagerOp add_;  // In place.
extern const EagerOp multiply;
extern const EagerOp multiply_;
extern const EagerOp scale;
extern const EagerOp scale_;
// Its gradient is a kernel without a gradient of its own.
extern const EagerOp relu;
extern const EagerOp relu_;
extern const EagerOp sum;      // Over all axes only.
extern const EagerOp reshape;  // A view.
extern const EagerOp split;    // Views, a list.
extern const EagerOp concat;   // No gradient here.
extern const EagerOp cast;     // float32 and float64.
extern const EagerOp sign_;    // In place, no gradient.
extern const AutogradOps ops;

// Calls that are expected to succeed: a failure fails the test and yields an
// undefined tensor.
Tensor Add(const Tensor& x, const Tensor& y);
Tensor Multiply(const Tensor& x, const Tensor& y);
Tensor Scale(const Tensor& x, double factor);
Tensor Relu(const Tensor& x);
Tensor Sum(const Tensor& x);
Tensor Reshape(const Tensor& x, std::initializer_list<int64_t> shape);
std::vector<Tensor> Split(const Tensor& x,
                          std::initializer_list<int64_t> sections);

// Any operator of one output.
absl::StatusOr<Tensor> Call(const EagerOp& op,
                            std::initializer_list<const Tensor*> inputs,
                            std::initializer_list<AttrRef> attrs = {});

// A leaf of float64 values.
Tensor Leaf(const Shape& shape, std::initializer_list<double> values);
Tensor Constant(const Shape& shape, std::initializer_list<double> values);
std::vector<double> Values(const Tensor& tensor);

}  // namespace switchyard::eager::toy

#endif  // SWITCHYARD_EAGER_TESTING_TOY_OPS_H_

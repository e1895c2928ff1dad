// SPDX-License-Identifier: Apache-2.0
#include "eager/testing/toy_ops.h"

#include "eager/call/autograd_ops.h"
#include "eager/call/composite_ops.h"
#include "eager/call/run.h"
#include "eager/testing/toy_kernels.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"
#include "phi/composite/bodies/add_grad.gen.h"
#include "phi/composite/bodies/assign_grad.gen.h"
#include "phi/composite/bodies/cast_grad.gen.h"
#include "phi/composite/bodies/expand_as_grad.gen.h"
#include "phi/composite/bodies/multiply_grad.gen.h"
#include "phi/composite/bodies/reduce_as_grad.gen.h"
#include "phi/composite/bodies/reshape_grad.gen.h"
#include "phi/composite/bodies/scale_grad.gen.h"
#include "phi/composite/bodies/split_grad.gen.h"
#include "phi/composite/bodies/sum_grad.gen.h"
#include "phi/core/signatures/add.gen.h"
#include "phi/core/signatures/add_grad.gen.h"
#include "phi/core/signatures/add_grad_map.gen.h"
#include "phi/core/signatures/assign.gen.h"
#include "phi/core/signatures/assign_grad.gen.h"
#include "phi/core/signatures/assign_grad_map.gen.h"
#include "phi/core/signatures/cast.gen.h"
#include "phi/core/signatures/cast_grad.gen.h"
#include "phi/core/signatures/cast_grad_map.gen.h"
#include "phi/core/signatures/concat.gen.h"
#include "phi/core/signatures/expand_as.gen.h"
#include "phi/core/signatures/expand_as_grad.gen.h"
#include "phi/core/signatures/expand_as_grad_map.gen.h"
#include "phi/core/signatures/full.gen.h"
#include "phi/core/signatures/multiply.gen.h"
#include "phi/core/signatures/multiply_grad.gen.h"
#include "phi/core/signatures/multiply_grad_map.gen.h"
#include "phi/core/signatures/reduce_as.gen.h"
#include "phi/core/signatures/reduce_as_grad.gen.h"
#include "phi/core/signatures/reduce_as_grad_map.gen.h"
#include "phi/core/signatures/relu.gen.h"
#include "phi/core/signatures/relu_grad.gen.h"
#include "phi/core/signatures/relu_grad_map.gen.h"
#include "phi/core/signatures/reshape.gen.h"
#include "phi/core/signatures/reshape_grad.gen.h"
#include "phi/core/signatures/reshape_grad_map.gen.h"
#include "phi/core/signatures/scale.gen.h"
#include "phi/core/signatures/scale_grad.gen.h"
#include "phi/core/signatures/scale_grad_map.gen.h"
#include "phi/core/signatures/sign.gen.h"
#include "phi/core/signatures/split.gen.h"
#include "phi/core/signatures/split_grad.gen.h"
#include "phi/core/signatures/split_grad_map.gen.h"
#include "phi/core/signatures/sum.gen.h"
#include "phi/core/signatures/sum_grad.gen.h"
#include "phi/core/signatures/sum_grad_map.gen.h"

namespace switchyard::eager::toy {
namespace {

extern const EagerOp reduce_as, reshape_grad, expand_as, assign;

// The operators that the composites below call.
const EagerOp* const kUses[] = {&assign,   &cast,      &concat,  &expand_as,
                                &multiply, &reduce_as, &reshape, &reshape_grad,
                                &scale,    &sum};

template <phi::composite::Body kBody>
absl::Status Composed(const CompositeArgs& args) {
  return RunBody(kBody, kUses, args);
}

constexpr EagerOp Composite(const phi::OpInfo* info, CompositeFunction f) {
  EagerOp op{info};
  op.composite = f;
  op.autograd = &ops;
  return op;
}

const EagerOp add_grad =
    Composite(&phi::info_add_grad, Composed<phi::composite::AddGradBody>);
const EagerOp multiply_grad = Composite(
    &phi::info_multiply_grad, Composed<phi::composite::MultiplyGradBody>);
const EagerOp scale_grad =
    Composite(&phi::info_scale_grad, Composed<phi::composite::ScaleGradBody>);
const EagerOp sum_grad =
    Composite(&phi::info_sum_grad, Composed<phi::composite::SumGradBody>);
const EagerOp assign_grad =
    Composite(&phi::info_assign_grad, Composed<phi::composite::AssignGradBody>);
const EagerOp cast_grad =
    Composite(&phi::info_cast_grad, Composed<phi::composite::CastGradBody>);
const EagerOp reshape_grad = Composite(
    &phi::info_reshape_grad, Composed<phi::composite::ReshapeGradBody>);
const EagerOp expand_as_grad = Composite(
    &phi::info_expand_as_grad, Composed<phi::composite::ExpandAsGradBody>);
const EagerOp reduce_as_grad = Composite(
    &phi::info_reduce_as_grad, Composed<phi::composite::ReduceAsGradBody>);
const EagerOp split_grad =
    Composite(&phi::info_split_grad, Composed<phi::composite::SplitGradBody>);
const EagerOp relu_grad = {&phi::info_relu_grad, &phi::kernels_relu_grad};

const EagerOp full = {&phi::info_full, &phi::kernels_full};
const EagerOp assign = {&phi::info_assign,
                        &phi::kernels_assign,
                        &phi::grad_map_assign,
                        &assign_grad,
                        nullptr,
                        &ops};
const EagerOp expand_as = {&phi::info_expand_as,
                           &phi::kernels_expand_as,
                           &phi::grad_map_expand_as,
                           &expand_as_grad,
                           nullptr,
                           &ops};
const EagerOp reduce_as = {&phi::info_reduce_as,
                           &phi::kernels_reduce_as,
                           &phi::grad_map_reduce_as,
                           &reduce_as_grad,
                           nullptr,
                           &ops};

}  // namespace

const AutogradOps ops(&add, &cast, &assign, &full);
const EagerOp add = {&phi::info_add, &phi::kernels_add, &phi::grad_map_add,
                     &add_grad,      nullptr,           &ops};
const EagerOp add_ = {&phi::info_add,
                      &phi::kernels_add,
                      &phi::grad_map_add,
                      &add_grad,
                      nullptr,
                      &ops,
                      true};
const EagerOp multiply = {&phi::info_multiply,
                          &phi::kernels_multiply,
                          &phi::grad_map_multiply,
                          &multiply_grad,
                          nullptr,
                          &ops};
const EagerOp multiply_ = {&phi::info_multiply,
                           &phi::kernels_multiply,
                           &phi::grad_map_multiply,
                           &multiply_grad,
                           nullptr,
                           &ops,
                           true};
const EagerOp scale = {&phi::info_scale,
                       &phi::kernels_scale,
                       &phi::grad_map_scale,
                       &scale_grad,
                       nullptr,
                       &ops};
const EagerOp scale_ = {&phi::info_scale,
                        &phi::kernels_scale,
                        &phi::grad_map_scale,
                        &scale_grad,
                        nullptr,
                        &ops,
                        true};
const EagerOp relu = {&phi::info_relu,
                      &phi::kernels_relu,
                      &phi::grad_map_relu,
                      &relu_grad,
                      nullptr,
                      &ops};
const EagerOp relu_ = {&phi::info_relu,
                       &phi::kernels_relu,
                       &phi::grad_map_relu,
                       &relu_grad,
                       nullptr,
                       &ops,
                       true};
const EagerOp sum = {&phi::info_sum, &phi::kernels_sum, &phi::grad_map_sum,
                     &sum_grad,      nullptr,           &ops};
const EagerOp reshape = {&phi::info_reshape,
                         &phi::kernels_reshape,
                         &phi::grad_map_reshape,
                         &reshape_grad,
                         nullptr,
                         &ops};
const EagerOp split = {&phi::info_split,
                       &phi::kernels_split,
                       &phi::grad_map_split,
                       &split_grad,
                       nullptr,
                       &ops};
const EagerOp concat = {&phi::info_concat, &phi::kernels_concat};
const EagerOp cast = {&phi::info_cast,
                      &phi::kernels_cast,
                      &phi::grad_map_cast,
                      &cast_grad,
                      nullptr,
                      &ops};
const EagerOp sign_ = {&phi::info_sign,
                       &phi::kernels_sign,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr,
                       true};

absl::StatusOr<Tensor> Call(const EagerOp& op,
                            std::initializer_list<const Tensor*> inputs,
                            std::initializer_list<AttrRef> attrs) {
  Tensor out;
  SY_RETURN_IF_ERROR(Run(op, inputs, attrs, absl::MakeSpan(&out, 1)));
  return out;
}

namespace {

Tensor Expect(absl::StatusOr<Tensor> result) {
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : Tensor();
}

}  // namespace

Tensor Add(const Tensor& x, const Tensor& y) {
  return Expect(Call(add, {&x, &y}));
}
Tensor Multiply(const Tensor& x, const Tensor& y) {
  return Expect(Call(multiply, {&x, &y}));
}
Tensor Scale(const Tensor& x, double factor) {
  const Scalar scalar(factor), zero(0.0);
  return Expect(Call(scale, {&x}, {scalar, zero, true}));
}
Tensor Relu(const Tensor& x) { return Expect(Call(relu, {&x})); }
Tensor Sum(const Tensor& x) {
  return Expect(Call(
      sum, {&x}, {absl::Span<const int64_t>(), DataType::kUndefined, false}));
}
Tensor Reshape(const Tensor& x, std::initializer_list<int64_t> shape) {
  return Expect(Call(reshape, {&x}, {absl::Span<const int64_t>(shape)}));
}

std::vector<Tensor> Split(const Tensor& x,
                          std::initializer_list<int64_t> sections) {
  std::vector<Tensor> parts;
  const absl::Status status =
      Run(split, {&x}, {absl::Span<const int64_t>(sections), 0}, &parts);
  EXPECT_TRUE(status.ok()) << status;
  parts.resize(sections.size());
  return parts;
}

Tensor Constant(const Shape& shape, std::initializer_list<double> values) {
  return Tensor(MakeTensor<double>(shape, values));
}

Tensor Leaf(const Shape& shape, std::initializer_list<double> values) {
  Tensor leaf = Constant(shape, values);
  EXPECT_TRUE(leaf.set_requires_grad(true).ok());
  return leaf;
}

std::vector<double> Values(const Tensor& tensor) {
  return tensor.defined() ? ToVector<double>(tensor.dense())
                          : std::vector<double>();
}

}  // namespace switchyard::eager::toy

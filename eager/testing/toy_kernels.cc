// SPDX-License-Identifier: Apache-2.0
#include "eager/testing/toy_kernels.h"

#include "phi/core/kernel_spec.h"
#include "phi/core/testing/naive_kernels.h"

namespace switchyard::eager::toy {
namespace {

using phi::ArgDef;
using phi::KernelContext;
using phi::KernelDef;
using phi::OpKernels;
using phi::testing::Add;
using phi::testing::At;
using phi::testing::BroadcastOffset;
using phi::testing::Cast;
using phi::testing::Concat;
using phi::testing::CopyElements;
using phi::testing::In;
using phi::testing::Map;
using phi::testing::Multiply;
using phi::testing::NaiveKernel;
using phi::testing::Out;
using phi::testing::Relu;
using phi::testing::ReluGrad;

absl::Status SignKernel(KernelContext& c) {
  return Map<double>(c, [](double x) {
    return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
  });
}
absl::Status ScaleKernel(KernelContext& c) {
  const double scale = c.attr<const Scalar&>(0).ToDouble();
  const double bias = c.attr<const Scalar&>(1).ToDouble();
  return Map<double>(c, [=](double x) { return scale * x + bias; });
}
absl::Status FullKernel(KernelContext& c) {
  const double value = c.attr<const Scalar&>(1).ToDouble();
  std::fill_n(Out(c, 0)->mutable_data<double>(), Out(c, 0)->numel(), value);
  return absl::OkStatus();
}
// Sum over all axes, and sum down to the shape of a target.
absl::Status SumKernel(KernelContext& c) {
  const DenseTensor& out = *Out(c, 0);
  double* to = Out(c, 0)->mutable_data<double>();
  std::fill_n(to, out.numel(), 0.0);
  const DenseTensor& x = In(c, 0);
  for (int64_t i = 0; i < x.numel(); ++i) {
    to[BroadcastOffset(i, x.shape(), out)] += At<double>(x, i, x.shape());
  }
  return absl::OkStatus();
}
absl::Status ReshapeKernel(KernelContext& c) {
  DenseTensor& out = *Out(c, 0);
  const Shape shape = out.shape();
  out.SetView(In(c, 0), shape, ContiguousStrides(shape), In(c, 0).offset());
  return absl::OkStatus();
}
// A view: repeated axes have stride 0.
absl::Status ExpandKernel(KernelContext& c) {
  const DenseTensor& x = In(c, 0);
  DenseTensor& out = *Out(c, 0);
  const Shape shape = out.shape();
  Strides strides = {};
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (x.extent(axis) == 1) continue;
    strides[axis + shape.rank() - x.rank()] = x.strides()[axis];
  }
  out.SetView(x, shape, strides, x.offset());
  return absl::OkStatus();
}
// Along axis 0.
absl::Status SplitKernel(KernelContext& c) {
  const DenseTensor& x = In(c, 0);
  int64_t offset = x.offset();
  for (TensorBase* part : c.outputs.list(0)) {
    auto* out = static_cast<DenseTensor*>(part);
    const Shape shape = out->shape();
    out->SetView(x, shape, x.strides(), offset);
    offset += shape.extent(0) * x.strides()[0];
  }
  return absl::OkStatus();
}
constexpr ArgDef kPlain = {};
constexpr ArgDef kInputs[] = {phi::AnyStrides(), phi::AnyStrides()};
constexpr ArgDef kContiguousInputs[] = {kPlain};
constexpr ArgDef kOutputs[] = {kPlain};
constexpr ArgDef kAnyDtypeOutput[] = {phi::AnyDtype()};

KernelDef Kernel(const char* op, phi::KernelThunk thunk, size_t inputs) {
  return NaiveKernel(op, DataType::kFloat64, thunk,
                     absl::MakeConstSpan(kInputs, inputs), kOutputs);
}

KernelDef Contiguous(const char* op, phi::KernelThunk thunk) {
  return NaiveKernel(op, DataType::kFloat64, thunk, kContiguousInputs,
                     kOutputs);
}

KernelDef CastDef(DataType dtype, phi::KernelThunk thunk) {
  return NaiveKernel("cast", dtype, thunk, kContiguousInputs, kAnyDtypeOutput);
}

}  // namespace
}  // namespace switchyard::eager::toy

// One kernel of one dtype, and its row for a slot.
#define TOY_KERNEL(op, def)                                           \
  namespace switchyard::eager::toy {                                  \
  namespace {                                                         \
  const KernelDef def_##op = def;                                     \
  const KernelDef* const defs_##op[] = {&def_##op};                   \
  const phi::OpKernels row_##op = phi::MakeOpKernels(#op, defs_##op); \
  }                                                                   \
  }                                                                   \
  namespace switchyard::phi {                                         \
  OpSlot kernels_##op(&::switchyard::eager::toy::row_##op);           \
  }

TOY_KERNEL(add, Kernel("add", Add<double>, 2))
TOY_KERNEL(assign, Kernel("assign", CopyElements, 1))
TOY_KERNEL(concat, Contiguous("concat", Concat<double>))
TOY_KERNEL(contiguous, Kernel("contiguous", CopyElements, 1))
TOY_KERNEL(copy, Kernel("copy", CopyElements, 1))
TOY_KERNEL(expand_as, Kernel("expand_as", ExpandKernel, 2))
TOY_KERNEL(full, Kernel("full", FullKernel, 0))
TOY_KERNEL(multiply, Kernel("multiply", Multiply<double>, 2))
TOY_KERNEL(reorder, Contiguous("reorder", CopyElements))
TOY_KERNEL(reduce_as, Kernel("reduce_as", SumKernel, 2))
TOY_KERNEL(relu, Kernel("relu", Relu<double>, 1))
TOY_KERNEL(relu_grad, Kernel("relu_grad", ReluGrad<double>, 2))
TOY_KERNEL(reshape, Contiguous("reshape", ReshapeKernel))
TOY_KERNEL(scale, Kernel("scale", ScaleKernel, 1))
TOY_KERNEL(sign, Kernel("sign", SignKernel, 1))
TOY_KERNEL(split, Kernel("split", SplitKernel, 1))
TOY_KERNEL(sum, Kernel("sum", SumKernel, 1))

namespace switchyard::eager::toy {
namespace {
const KernelDef cast_float32 = CastDef(DataType::kFloat32, Cast<float>);
const KernelDef cast_float64 = CastDef(DataType::kFloat64, Cast<double>);
const KernelDef* const defs_cast[] = {&cast_float32, &cast_float64};
const phi::OpKernels row_cast = phi::MakeOpKernels("cast", defs_cast);
}  // namespace
}  // namespace switchyard::eager::toy
namespace switchyard::phi {
OpSlot kernels_cast(&eager::toy::row_cast);
}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
#include "eager/testing/toy_kernels.h"

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::eager::toy {
namespace {

using phi::ArgDef;
using phi::KernelContext;
using phi::KernelDef;
using phi::OpKernels;

const DenseTensor& In(KernelContext& c, int i) {
  return static_cast<const DenseTensor&>(c.inputs.one(i));
}
DenseTensor& Out(KernelContext& c, int i) {
  return static_cast<DenseTensor&>(c.outputs.one(i));
}

// Where in `from`, which broadcasts to `to`, element number `i` of `to` lies.
int64_t BroadcastOffset(int64_t i, const Shape& to, const DenseTensor& from) {
  int64_t offset = 0;
  for (int axis = to.rank() - 1; axis >= 0; --axis) {
    const int64_t at = i % to.extent(axis);
    i /= to.extent(axis);
    const int own = axis - (to.rank() - from.rank());
    if (own >= 0 && from.extent(own) != 1) offset += at * from.strides()[own];
  }
  return offset;
}

double At(const DenseTensor& from, int64_t i, const Shape& to) {
  return from.data<double>()[BroadcastOffset(i, to, from)];
}

// out[i] = f(x[i]) or f(x[i], y[i]).
template <typename F>
absl::Status Map(KernelContext& c, F f) {
  DenseTensor& out = Out(c, 0);
  double* to = out.mutable_data<double>();
  for (int64_t i = 0; i < out.numel(); ++i) {
    to[i] = f(At(In(c, 0), i, out.shape()));
  }
  return absl::OkStatus();
}
template <typename F>
absl::Status Zip(KernelContext& c, F f) {
  DenseTensor& out = Out(c, 0);
  double* to = out.mutable_data<double>();
  for (int64_t i = 0; i < out.numel(); ++i) {
    to[i] = f(At(In(c, 0), i, out.shape()), At(In(c, 1), i, out.shape()));
  }
  return absl::OkStatus();
}

absl::Status AddKernel(KernelContext& c) {
  return Zip(c, [](double x, double y) { return x + y; });
}
absl::Status MultiplyKernel(KernelContext& c) {
  return Zip(c, [](double x, double y) { return x * y; });
}
absl::Status ReluKernel(KernelContext& c) {
  return Map(c, [](double x) { return x > 0 ? x : 0; });
}
absl::Status ReluGradKernel(KernelContext& c) {
  return Zip(c, [](double out, double grad) { return out > 0 ? grad : 0; });
}
absl::Status SignKernel(KernelContext& c) {
  return Map(c, [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; });
}
absl::Status CopyKernel(KernelContext& c) {
  return Map(c, [](double x) { return x; });
}
absl::Status ScaleKernel(KernelContext& c) {
  const double scale = c.attr<const Scalar&>(0).ToDouble();
  const double bias = c.attr<const Scalar&>(1).ToDouble();
  return Map(c, [=](double x) { return scale * x + bias; });
}
absl::Status FullKernel(KernelContext& c) {
  const double value = c.attr<const Scalar&>(1).ToDouble();
  DenseTensor& out = Out(c, 0);
  std::fill_n(out.mutable_data<double>(), out.numel(), value);
  return absl::OkStatus();
}
// Sum over all axes, and sum down to the shape of a target.
absl::Status SumKernel(KernelContext& c) {
  DenseTensor& out = Out(c, 0);
  double* to = out.mutable_data<double>();
  std::fill_n(to, out.numel(), 0.0);
  const DenseTensor& x = In(c, 0);
  for (int64_t i = 0; i < x.numel(); ++i) {
    to[BroadcastOffset(i, x.shape(), out)] += At(x, i, x.shape());
  }
  return absl::OkStatus();
}
absl::Status ReshapeKernel(KernelContext& c) {
  DenseTensor& out = Out(c, 0);
  const Shape shape = out.shape();
  out.SetView(In(c, 0), shape, ContiguousStrides(shape), In(c, 0).offset());
  return absl::OkStatus();
}
// A view: repeated axes have stride 0.
absl::Status ExpandKernel(KernelContext& c) {
  const DenseTensor& x = In(c, 0);
  DenseTensor& out = Out(c, 0);
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
absl::Status ConcatKernel(KernelContext& c) {
  double* to = Out(c, 0).mutable_data<double>();
  for (const TensorBase* part : c.inputs.list(0)) {
    const auto& x = *static_cast<const DenseTensor*>(part);
    to = std::copy_n(x.data<double>(), x.numel(), to);
  }
  return absl::OkStatus();
}
template <typename From, typename To>
absl::Status CastKernel(KernelContext& c) {
  DenseTensor& out = Out(c, 0);
  To* to = out.mutable_data<To>();
  const From* from = In(c, 0).data<From>();
  for (int64_t i = 0; i < out.numel(); ++i) to[i] = static_cast<To>(from[i]);
  return absl::OkStatus();
}
absl::Status CastFromFloatKernel(KernelContext& c) {
  return Out(c, 0).dtype() == DataType::kFloat32 ? CastKernel<float, float>(c)
                                                 : CastKernel<float, double>(c);
}
absl::Status CastFromDoubleKernel(KernelContext& c) {
  return Out(c, 0).dtype() == DataType::kFloat32
             ? CastKernel<double, float>(c)
             : CastKernel<double, double>(c);
}

constexpr ArgDef kPlain = {};
constexpr ArgDef kInputs[] = {phi::AnyStrides(), phi::AnyStrides()};
constexpr ArgDef kContiguousInputs[] = {kPlain, kPlain};
constexpr ArgDef kOutputs[] = {kPlain};
constexpr ArgDef kAnyDtypeOutput[] = {phi::AnyDtype()};

KernelDef Kernel(const char* op, phi::KernelThunk thunk, size_t inputs,
                 DataType dtype = DataType::kFloat64) {
  KernelDef def{};
  def.op = op;
  def.kernel = op;
  def.key = {&backend_cpu, DataLayout::kStrided, dtype};
  def.inputs = absl::MakeConstSpan(kInputs, inputs);
  def.outputs = kOutputs;
  def.thunk = thunk;
  def.file = __FILE__;
  return def;
}

KernelDef Contiguous(KernelDef def) {
  def.inputs = absl::MakeConstSpan(kContiguousInputs, def.inputs.size());
  return def;
}

KernelDef CastDef(phi::KernelThunk thunk, DataType dtype) {
  KernelDef def = Contiguous(Kernel("cast", thunk, 1, dtype));
  def.outputs = kAnyDtypeOutput;
  return def;
}

}  // namespace
}  // namespace switchyard::eager::toy

// One kernel of one dtype, and its row behind a slot.
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

TOY_KERNEL(add, Kernel("add", AddKernel, 2))
TOY_KERNEL(assign, Kernel("assign", CopyKernel, 1))
TOY_KERNEL(concat, Contiguous(Kernel("concat", ConcatKernel, 1)))
TOY_KERNEL(contiguous, Kernel("contiguous", CopyKernel, 1))
TOY_KERNEL(copy, Kernel("copy", CopyKernel, 1))
TOY_KERNEL(expand_as, Kernel("expand_as", ExpandKernel, 2))
TOY_KERNEL(full, Kernel("full", FullKernel, 0))
TOY_KERNEL(multiply, Kernel("multiply", MultiplyKernel, 2))
TOY_KERNEL(reorder, Contiguous(Kernel("reorder", CopyKernel, 1)))
TOY_KERNEL(reduce_as, Kernel("reduce_as", SumKernel, 2))
TOY_KERNEL(relu, Kernel("relu", ReluKernel, 1))
TOY_KERNEL(relu_grad, Kernel("relu_grad", ReluGradKernel, 2))
TOY_KERNEL(reshape, Contiguous(Kernel("reshape", ReshapeKernel, 1)))
TOY_KERNEL(scale, Kernel("scale", ScaleKernel, 1))
TOY_KERNEL(sign, Kernel("sign", SignKernel, 1))
TOY_KERNEL(split, Kernel("split", SplitKernel, 1))
TOY_KERNEL(sum, Kernel("sum", SumKernel, 1))

namespace switchyard::eager::toy {
namespace {
const KernelDef cast_float32 = CastDef(CastFromFloatKernel, DataType::kFloat32);
const KernelDef cast_float64 =
    CastDef(CastFromDoubleKernel, DataType::kFloat64);
const KernelDef* const defs_cast[] = {&cast_float32, &cast_float64};
const phi::OpKernels row_cast = phi::MakeOpKernels("cast", defs_cast);
}  // namespace
}  // namespace switchyard::eager::toy
namespace switchyard::phi {
OpSlot kernels_cast(&eager::toy::row_cast);
}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
// A device over OpenCL: registers the device (device.h), the backend `opencl`,
// and its kernels, which give work to the call's stream and return.
#include <array>
#include <cstdint>

#include "conv.h"
#include "device.h"
#include "launch.h"
#include "phi/capi/plugin_cc.h"

namespace {

using sy::plugin::AttrEquals;
using sy::plugin::Call;
using sy::plugin::DeviceAtLeast;
using sy::plugin::DtypeEquals;
using sy::plugin::Error;
using sy::plugin::Input;
using sy::plugin::Kernel;
using sy::plugin::RankAtLeast;
using sy::plugin::RankAtMost;
using sy::plugin::Registry;
using sy::plugin::Run;
using sy::plugin::SameShape;

// Extents, or strides, of four axes as OpenCL's long4.
using Four = std::array<cl_long, 4>;
using Two = std::array<cl_long, 2>;

void* OutputOf(const Call& call, int n) { return call.output<void>(n); }

// The axes of a tensor of at most 4, as the last ones of 4.
Four ExtentsOf(const Input& x) {
  Four extents = {1, 1, 1, 1};
  for (int i = 0; i < x.rank(); ++i) extents[4 - x.rank() + i] = x.extent(i);
  return extents;
}

// Strides to read `x` with the indices of `extents`, to which it broadcasts.
Four StridesOf(const Input& x) {
  Four strides = {0, 0, 0, 0};
  for (int i = 0; i < x.rank(); ++i) {
    if (x.extent(i) != 1) strides[4 - x.rank() + i] = x.stride(i);
  }
  return strides;
}

Four BroadcastExtents(const Input& x, const Input& y) {
  Four extents = ExtentsOf(x);
  const Four others = ExtentsOf(y);
  for (int i = 0; i < 4; ++i) {
    if (extents[i] == 1) extents[i] = others[i];
  }
  return extents;
}

int64_t Product(const Four& extents) {
  return extents[0] * extents[1] * extents[2] * extents[3];
}

void Full(Call& call) {
  Launch(call, "fill")
      .Tensor(OutputOf(call, 0))
      .Value(static_cast<cl_float>(call.attr_float(1)))
      .Run(call.numel_of_output(0));
}

void Relu(Call& call) {
  const Input x = call.input(0);
  Launch(call, "relu")
      .Tensor(x.data<void>())
      .Tensor(OutputOf(call, 0))
      .Run(x.numel());
}

void ReluGrad(Call& call) {
  const Input out = call.input(0);
  Launch(call, "relu_grad")
      .Tensor(out.data<void>())
      .Tensor(call.input(1).data<void>())
      .Tensor(OutputOf(call, 0))
      .Run(out.numel());
}

// Elements where they lie, in row-major order. Also a copy within the device.
template <bool kWide>
void Contiguous(Call& call) {
  const Input x = call.input(0);
  const Four extents = ExtentsOf(x);
  Launch(call, kWide ? "gather_wide" : "gather")
      .Tensor(x.data<void>())
      .Tensor(OutputOf(call, 0))
      .Value(extents)
      .Value(StridesOf(x))
      .Run(x.numel());
}

template <int kOp>
void Binary(Call& call) {
  const Input x = call.input(0), y = call.input(1);
  const Four extents = BroadcastExtents(x, y);
  Launch(call, "binary")
      .Tensor(x.data<void>())
      .Tensor(y.data<void>())
      .Tensor(OutputOf(call, 0))
      .Value(extents)
      .Value(StridesOf(x))
      .Value(StridesOf(y))
      .Value(cl_int{kOp})
      .Run(Product(extents));
}

template <int kOp>
void BinaryFlat(Call& call) {
  const Input x = call.input(0);
  Launch(call, "binary_flat")
      .Tensor(x.data<void>())
      .Tensor(call.input(1).data<void>())
      .Tensor(OutputOf(call, 0))
      .Value(cl_int{kOp})
      .Run(x.numel());
}

void Scale(Call& call) {
  const Input x = call.input(0);
  Launch(call, "scale")
      .Tensor(x.data<void>())
      .Tensor(OutputOf(call, 0))
      .Value(static_cast<cl_float>(call.attr_float(0)))
      .Value(static_cast<cl_float>(call.attr_float(1)))
      .Value(static_cast<cl_int>(call.attr_int(2)))
      .Run(x.numel());
}

// sum and mean over some axes.
template <bool kMean>
void Reduce(Call& call) {
  const Input x = call.input(0);
  std::array<bool, 4> reduced = {};
  const int64_t count = call.attr_count(0);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t axis = call.attr_int_at(0, i);
    reduced[4 - x.rank() + (axis < 0 ? axis + x.rank() : axis)] = true;
  }
  if (count == 0) reduced = {true, true, true, true};
  Four kept = {1, 1, 1, 1}, summed = {1, 1, 1, 1};
  const Four extents = ExtentsOf(x), strides = StridesOf(x);
  for (int i = 0; i < 4; ++i) (reduced[i] ? summed : kept)[i] = extents[i];
  const int64_t length = Product(summed);
  Launch(call, "reduce")
      .Tensor(x.data<void>())
      .Tensor(OutputOf(call, 0))
      .Value(kept)
      .Value(strides)
      .Value(summed)
      .Value(strides)
      .Value(static_cast<cl_long>(length))
      .Value(kMean ? 1.0f / static_cast<cl_float>(length) : 1.0f)
      .Run(Product(kept));
}

void Matmul(Call& call) {
  const Input x = call.input(0), y = call.input(1);
  const bool flip_x = call.attr_int(0) != 0, flip_y = call.attr_int(1) != 0;
  const int64_t rows = x.extent(flip_x ? 1 : 0);
  const int64_t inner = x.extent(flip_x ? 0 : 1);
  const int64_t columns = y.extent(flip_y ? 0 : 1);
  const Two of_x = flip_x ? Two{1, rows} : Two{inner, 1};
  const Two of_y = flip_y ? Two{1, inner} : Two{columns, 1};
  Launch(call, "matmul")
      .Tensor(x.data<void>())
      .Tensor(y.data<void>())
      .Tensor(OutputOf(call, 0))
      .Value(static_cast<cl_long>(columns))
      .Value(static_cast<cl_long>(inner))
      .Value(of_x)
      .Value(of_y)
      .Value(cl_long{0})
      .Run(columns, rows);
}

void Softmax(Call& call) {
  const Input x = call.input(0);
  const int64_t columns = x.extent(-1);
  Launch(call, "softmax")
      .Tensor(x.data<void>())
      .Tensor(OutputOf(call, 0))
      .Value(static_cast<cl_long>(columns))
      .Run(x.numel() / columns);
}

// Whether labels have 8 bytes, or 4.
cl_int IsWide(const Input& label) {
  if (label.dtype() == "int64") return 1;
  if (label.dtype() == "int32") return 0;
  throw Error(SY_UNIMPLEMENTED,
              "label must be int32 or int64, got " + label.dtype());
}

void CrossEntropy(Call& call) {
  const Input x = call.input(0), label = call.input(1);
  const int64_t columns = x.extent(-1);
  Launch(call, "cross_entropy")
      .Tensor(x.data<void>())
      .Tensor(label.data<void>())
      .Tensor(OutputOf(call, 0))
      .Tensor(OutputOf(call, 1))
      .Value(static_cast<cl_long>(columns))
      .Value(IsWide(label))
      .Value(static_cast<cl_long>(call.attr_int(3)))
      .Run(x.numel() / columns);
}

void CrossEntropyGrad(Call& call) {
  const Input label = call.input(0), probability = call.input(1);
  const int64_t columns = probability.extent(-1);
  Launch(call, "cross_entropy_grad")
      .Tensor(label.data<void>())
      .Tensor(probability.data<void>())
      .Tensor(call.input(2).data<void>())
      .Tensor(OutputOf(call, 0))
      .Value(static_cast<cl_long>(columns))
      .Value(IsWide(label))
      .Value(static_cast<cl_long>(call.attr_int(3)))
      .Run(probability.numel() / columns);
}

void Sgd(Call& call) {
  const Input param = call.input(0);
  Launch(call, "sgd")
      .Tensor(param.data<void>())
      .Tensor(call.input(1).data<void>())
      .Tensor(call.input(2).data<void>())
      .Tensor(OutputOf(call, 0))
      .Run(param.numel());
}

void Adam(Call& call) {
  const Input param = call.input(0);
  const auto beta1 = static_cast<cl_float>(call.attr_float(0));
  const auto beta2 = static_cast<cl_float>(call.attr_float(1));
  Launch step(call, "adam");
  for (int i : {0, 1, 2, 3, 4, 5, 6}) step.Tensor(call.input(i).data<void>());
  for (int i : {0, 1, 2}) step.Tensor(OutputOf(call, i));
  step.Value(beta1)
      .Value(beta2)
      .Value(static_cast<cl_float>(call.attr_float(2)))
      .Run(param.numel());
  // The powers of the next step.
  for (int i : {0, 1}) {
    Launch(call, "scale")
        .Tensor(call.input(5 + i).data<void>())
        .Tensor(OutputOf(call, 3 + i))
        .Value(i == 0 ? beta1 : beta2)
        .Value(0.0f)
        .Value(cl_int{1})
        .Run(1);
  }
}

template <int kKind>
void ToFloat(Call& call) {
  const Input x = call.input(0);
  Launch(call, "to_float")
      .Tensor(x.data<void>())
      .Tensor(OutputOf(call, 0))
      .Value(cl_int{kKind})
      .Run(x.numel());
}

void FromDouble(Call& call) {
  const Input x = call.input(0);
  Launch(call, "double_to_float")
      .Tensor(x.data<void>())
      .Tensor(OutputOf(call, 0))
      .Run(x.numel());
}

Kernel Float(const char* op, SyFunction function,
             const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return {op, "opencl", "float32", function, file, line};
}

void AddLossesAndSteps(Registry& registry) {
  // Over the last axis: -1, or 1 of a matrix.
  const auto last_axis = [](Kernel kernel, const char* scores) {
    return kernel.WhenAnyOf({AttrEquals("axis", -1), AttrEquals("axis", 1)})
        .WhenAnyOf({AttrEquals("axis", -1), RankAtMost(scores, 2)});
  };
  registry.Add(last_axis(
      Float("softmax", Run<&Softmax>).When(RankAtLeast("x", 1)), "x"));
  const auto loss = [&](const char* op, const char* scores,
                        SyFunction function) {
    registry.Add(last_axis(Float(op, function)
                               .When(AttrEquals("soft_label", 0))
                               .When(AttrEquals("use_softmax", 1)),
                           scores));
  };
  loss("cross_entropy_with_softmax", "input", Run<&CrossEntropy>);
  loss("cross_entropy_with_softmax_grad", "softmax", Run<&CrossEntropyGrad>);
  registry.Add(Float("sgd_", Run<&Sgd>));
  registry.Add(Float("adam_", Run<&Adam>)
                   .When(AttrEquals("use_global_beta_pow", 0))
                   .When(AttrEquals("amsgrad", 0))
                   .When(AttrEquals("multi_precision", 0)));
}

void AddAll(Registry& registry) {
  registry.AddDevice(MakeDevice());
  registry.AddBackend({"opencl", /*rank=*/300, true, "opencl"});
  registry.Add(Float("full", Run<&Full>));
  registry.Add(Float("relu", Run<&Relu>));
  registry.Add(Float("relu_grad", Run<&ReluGrad>));
  const auto contiguous = [&registry](const char* dtype, SyFunction function) {
    registry.Add(Kernel("contiguous", "opencl", dtype, function)
                     .Strided()
                     .When(RankAtMost("x", 4)));
  };
  contiguous("float32", Run<&Contiguous<false>>);
  contiguous("int32", Run<&Contiguous<false>>);
  contiguous("int64", Run<&Contiguous<true>>);
  // Names decide which of them is asked first.
  const auto binary = [&registry](const char* op, SyFunction flat,
                                  SyFunction broadcast) {
    registry.Add(Float(op, flat).Named("alike").When(SameShape("x", "y")));
    registry.Add(Float(op, broadcast)
                     .Named("broadcast")
                     .When(RankAtMost("x", 4))
                     .When(RankAtMost("y", 4)));
  };
  binary("add", Run<&BinaryFlat<0>>, Run<&Binary<0>>);
  binary("subtract", Run<&BinaryFlat<1>>, Run<&Binary<1>>);
  binary("multiply", Run<&BinaryFlat<2>>, Run<&Binary<2>>);
  registry.Add(Float("scale", Run<&Scale>));
  registry.Add(Float("sum", Run<&Reduce<false>>).When(RankAtMost("x", 4)));
  registry.Add(Float("mean", Run<&Reduce<true>>).When(RankAtMost("x", 4)));
  registry.Add(Float("matmul", Run<&Matmul>)
                   .When(RankAtLeast("x", 2))
                   .When(RankAtMost("x", 2))
                   .When(RankAtLeast("y", 2))
                   .When(RankAtMost("y", 2)));
  registry.Add(Float("conv2d", Run<&Conv2d>).When(AttrEquals("groups", 1)));
  const auto cast = [&registry](const char* dtype, SyFunction function) {
    registry.Add(Kernel("cast", "opencl", dtype, function)
                     .When(DtypeEquals("dtype", "float32")));
  };
  cast("bool", Run<&ToFloat<0>>);
  cast("int32", Run<&ToFloat<1>>);
  cast("int64", Run<&ToFloat<2>>);
  registry.Add(Kernel("cast", "opencl", "float64", Run<&FromDouble>)
                   .When(DtypeEquals("dtype", "float32"))
                   .When(DeviceAtLeast("float64", 1)));
  AddLossesAndSteps(registry);
}

}  // namespace

SY_PLUGIN("opencl_device", "1.0", AddAll)

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/testing/toy_kernels.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/allocate_output.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/testing/naive_kernels.h"

namespace switchyard::static_graph::testing {
namespace {

using phi::KernelContext;
using phi::testing::Add;
using phi::testing::Cast;
using phi::testing::CopyElements;
using phi::testing::In;
using phi::testing::Map;
using phi::testing::Multiply;
using phi::testing::NaiveKernel;
using phi::testing::Out;
using phi::testing::Relu;
using phi::testing::ReluGrad;
using phi::testing::Zip;

template <typename T>
absl::Status Less(KernelContext& c) {
  return Zip<T, bool>(c, [](T x, T y) { return x < y; });
}
template <typename T>
absl::Status Twice(KernelContext& c) {
  return Map<T>(c, [](T x) { return x + x; });
}

template <typename T>
absl::Status Checked(KernelContext& c) {
  for (int64_t i = 0; i < In(c, 0).numel(); ++i) {
    if (In(c, 0).data<T>()[i] < 0) {
      return ArgumentError("x", "without negative elements", "one");
    }
  }
  return Map<T>(c, [](T x) { return x; });
}

template <typename T>
absl::Status FullLike(KernelContext& c) {
  const T value = c.attr<const Scalar&>(0).to<T>();
  return Map<T>(c, [value](T) { return value; });
}

absl::Status Transpose(KernelContext& c) {
  const DenseTensor& x = In(c, 0);
  Shape shape = x.shape();
  Strides strides = x.strides();
  std::swap(shape[0], shape[1]);
  std::swap(strides[0], strides[1]);
  Out(c, 0)->SetView(x, shape, strides, x.offset());
  return absl::OkStatus();
}

absl::Status Sgd(KernelContext& c) {
  const float rate = *In(c, 1).data<float>();
  const float* grad = In(c, 2).data<float>();
  const float* param = In(c, 0).data<float>();
  float* out = Out(c, 0)->mutable_data<float>();
  for (int64_t i = 0; i < In(c, 0).numel(); ++i) {
    out[i] = param[i] - rate * grad[i];
  }
  return absl::OkStatus();
}

absl::Status SumAll(KernelContext& c) {
  SY_RETURN_IF_ERROR(c.device().Allocate(Out(c, 0)));
  float* out = Out(c, 0)->mutable_data<float>();
  std::memset(out, 0, Out(c, 0)->numel() * sizeof(float));
  for (const TensorBase* x : c.inputs.list(0)) {
    const auto* dense = static_cast<const DenseTensor*>(x);
    for (int64_t i = 0; i < dense->numel(); ++i) {
      out[i] += dense->data<float>()[i];
    }
  }
  return absl::OkStatus();
}

absl::Status SumAllGrad(KernelContext& c) {
  for (TensorBase* base : c.outputs.list(0)) {
    auto* out = static_cast<DenseTensor*>(base);
    SY_RETURN_IF_ERROR(c.device().Allocate(out));
    std::memcpy(out->mutable_data<void>(), In(c, 1).raw_data(),
                In(c, 1).numel() * sizeof(float));
  }
  return absl::OkStatus();
}

absl::Status Bias(KernelContext& c) {
  if (c.inputs.optional(1) != nullptr) return Add<float>(c);
  return Map<float>(c, [](float x) { return x; });
}

absl::Status BiasGrad(KernelContext& c) {
  for (int i = 0; i < 2; ++i) {
    if (c.outputs.optional(i) == nullptr) continue;
    SY_RETURN_IF_ERROR(c.device().Allocate(Out(c, i)));
    std::memcpy(Out(c, i)->mutable_data<void>(), In(c, 1).raw_data(),
                In(c, 1).numel() * sizeof(float));
  }
  return absl::OkStatus();
}

absl::Status Fork(KernelContext& c) {
  for (int i = 0; i < 2; ++i) {
    SY_RETURN_IF_ERROR(c.device().Allocate(Out(c, i)));
    for (int64_t k = 0; k < In(c, 0).numel(); ++k) {
      Out(c, i)->mutable_data<float>()[k] =
          In(c, 0).data<float>()[k] * static_cast<float>(i + 1);
    }
  }
  return absl::OkStatus();
}

absl::Status ForkGrad(KernelContext& c) {
  return Zip<float>(c, [](float a, float b) { return a + 2 * b; });
}

// The elements of x, over and over.
absl::Status Sized(KernelContext& c) {
  SY_RETURN_IF_ERROR(c.device().Allocate(Out(c, 0)));
  for (int64_t i = 0; i < Out(c, 0)->numel(); ++i) {
    Out(c, 0)->mutable_data<float>()[i] =
        In(c, 0).data<float>()[i % In(c, 0).numel()];
  }
  return absl::OkStatus();
}

absl::Status Positive(KernelContext& c) {
  std::vector<float> found;
  for (int64_t i = 0; i < In(c, 0).numel(); ++i) {
    const float x = In(c, 0).data<float>()[i];
    if (x > 0) found.push_back(x);
  }
  const Shape shape({static_cast<int64_t>(found.size())});
  SY_RETURN_IF_ERROR(
      phi::AllocateOutput(c.device(), DataType::kFloat32, shape, Out(c, 0)));
  std::copy(found.begin(), found.end(), Out(c, 0)->mutable_data<float>());
  return absl::OkStatus();
}

absl::Status Extents(KernelContext& c) {
  SY_RETURN_IF_ERROR(c.device().Allocate(Out(c, 0)));
  for (int axis = 0; axis < In(c, 0).rank(); ++axis) {
    Out(c, 0)->mutable_data<int64_t>()[axis] = In(c, 0).extent(axis);
  }
  return absl::OkStatus();
}

using ArgDefs = std::array<phi::ArgDef, 3>;
constexpr ArgDefs kContiguous = {};
constexpr ArgDefs kStrided = {phi::AnyStrides(), phi::AnyStrides(),
                              phi::AnyStrides()};
constexpr ArgDefs kAnyOut = {phi::AnyDtype(), phi::AnyDtype(), phi::AnyDtype()};
// Has the rank and the name of oneDNN, and calls nothing of it.
constexpr BackendInfo kTiered = {"onednn", &device_cpu, 200, true,
                                 &CpuContext::kContexts};
constexpr phi::Condition kAtLeastEight[] = {phi::ExtentAtLeast(0, 0, 8)};

constexpr phi::KernelDef Def(const char* op, DataType dtype,
                             phi::KernelThunk thunk, size_t inputs,
                             size_t outputs, const ArgDefs& args = kContiguous,
                             const BackendInfo& backend = backend_cpu) {
  return NaiveKernel(op, dtype, thunk, {args.data(), inputs},
                     {kAnyOut.data(), outputs}, backend);
}

constexpr ArgDefs kOwnOut = {phi::SelfAllocated(phi::AnyDtype())};
constexpr phi::KernelDef AllocatesItself(phi::KernelDef def) {
  def.outputs = {kOwnOut.data(), 1};
  return def;
}

constexpr phi::Condition kWithoutGaps[] = {phi::IsContiguous(0)};
constexpr phi::KernelDef OfContiguous(phi::KernelDef def) {
  def.conditions = kWithoutGaps;
  return def;
}

constexpr phi::KernelDef Fast(phi::KernelDef def) {
  def.conditions = kAtLeastEight;
  return def;
}

constexpr DataType kF32 = DataType::kFloat32;
constexpr DataType kF64 = DataType::kFloat64;
constexpr DataType kI64 = DataType::kInt64;

constexpr phi::KernelDef kDefs[] = {
    Def("add", kF32, &Add<float>, 2, 1),
    Def("add", kF64, &Add<double>, 2, 1),
    Def("add", kI64, &Add<int64_t>, 2, 1),
    Def("multiply", kF32, &Multiply<float>, 2, 1),
    Def("multiply", kF64, &Multiply<double>, 2, 1),
    Def("multiply", kI64, &Multiply<int64_t>, 2, 1),
    Def("less_than", kF32, &Less<float>, 2, 1),
    Def("less_than", kI64, &Less<int64_t>, 2, 1),
    Def("relu", kF32, &Relu<float>, 1, 1),
    Def("relu_grad", kF32, &ReluGrad<float>, 2, 1),
    Def("full_like", kF32, &FullLike<float>, 1, 1, kStrided),
    Def("full_like", kF64, &FullLike<double>, 1, 1, kStrided),
    Def("cast", kF32, &Cast<float>, 1, 1),
    Def("cast", kF64, &Cast<double>, 1, 1),
    Def("contiguous", kF32, &CopyElements, 1, 1, kStrided),
    Def("copy", kF32, &CopyElements, 1, 1, kStrided),
    Def("copy", kI64, &CopyElements, 1, 1, kStrided),
    Def("copy", DataType::kBool, &CopyElements, 1, 1, kStrided),
    Def("transpose", kF32, &Transpose, 1, 1, kStrided),
    Def("sgd_", kF32, &Sgd, 3, 1),
    Def("sum_all", kF32, &SumAll, 1, 1),
    Def("sum_all_grad", kF32, &SumAllGrad, 2, 1),
    Def("bias", kF32, &Bias, 2, 1),
    Def("bias_grad", kF32, &BiasGrad, 2, 2),
    Def("fork", kF32, &Fork, 1, 2),
    Def("fork_grad", kF32, &ForkGrad, 2, 1),
    Def("tiered", kF32, &Twice<float>, 1, 1, kStrided),
    Fast(Def("tiered", kF32, &Twice<float>, 1, 1, kContiguous, kTiered)),
    Def("gapless", kF32, &Twice<float>, 1, 1, kStrided),
    OfContiguous(Def("gapless", kF32, &Twice<float>, 1, 1, kStrided, kTiered)),
    Def("checked", kF32, &Checked<float>, 1, 1),
    Def("sized", kF32, &Sized, 1, 1),
    AllocatesItself(Def("positive", kF32, &Positive, 1, 1)),
    Def("extents", kF32, &Extents, 1, 1, kStrided),
};

}  // namespace

absl::Span<const phi::KernelDef* const> ToyKernelDefs() {
  static const auto* const pointers = [] {
    auto* made = new std::array<const phi::KernelDef*, std::size(kDefs)>;
    for (size_t i = 0; i < made->size(); ++i) (*made)[i] = &kDefs[i];
    return made;
  }();
  return *pointers;
}

}  // namespace switchyard::static_graph::testing

// SPDX-License-Identifier: Apache-2.0
// The kernels that the made-up operators of several layers' tests share
// (//phi/dispatch/testing, //eager/testing, //static_graph/dialect/testing):
// loops over elements, for inputs of any strides. What an operator of one layer
// shows beyond them is in that layer's file.
#ifndef SWITCHYARD_PHI_CORE_TESTING_NAIVE_KERNELS_H_
#define SWITCHYARD_PHI_CORE_TESTING_NAIVE_KERNELS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_def.h"

namespace switchyard::phi::testing {

// Returns argument number i of a call. An output that is not wanted is null.
inline const DenseTensor& In(KernelContext& c, int i) {
  return static_cast<const DenseTensor&>(c.inputs.one(i));
}
inline DenseTensor* Out(KernelContext& c, int i) {
  return static_cast<DenseTensor*>(c.outputs.optional(i));
}

// Returns where in `from`, which broadcasts to `to`, element number `i`
// (row-major) of `to` is, counted in elements.
inline int64_t BroadcastOffset(int64_t i, const Shape& to,
                               const DenseTensor& from) {
  int64_t offset = 0;
  for (int axis = to.rank() - 1; axis >= 0; --axis) {
    const int64_t at = i % to.extent(axis);
    i /= to.extent(axis);
    const int own = axis - (to.rank() - from.rank());
    if (own >= 0 && from.extent(own) != 1) offset += at * from.strides()[own];
  }
  return offset;
}

template <typename T>
T At(const DenseTensor& from, int64_t i, const Shape& to) {
  return from.data<T>()[BroadcastOffset(i, to, from)];
}

// Compute out[i] = f(x[i]) and f(x[i], y[i]) with elements of R; inputs
// broadcast to the output.
template <typename T, typename R = T, typename F>
absl::Status Map(KernelContext& c, F f) {
  DenseTensor* const out = Out(c, 0);
  SY_RETURN_IF_ERROR(c.device().Allocate(out));
  R* const to = out->mutable_data<R>();
  for (int64_t i = 0; i < out->numel(); ++i) {
    to[i] = f(At<T>(In(c, 0), i, out->shape()));
  }
  return absl::OkStatus();
}
template <typename T, typename R = T, typename F>
absl::Status Zip(KernelContext& c, F f) {
  DenseTensor* const out = Out(c, 0);
  SY_RETURN_IF_ERROR(c.device().Allocate(out));
  R* const to = out->mutable_data<R>();
  for (int64_t i = 0; i < out->numel(); ++i) {
    to[i] =
        f(At<T>(In(c, 0), i, out->shape()), At<T>(In(c, 1), i, out->shape()));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Add(KernelContext& c) {
  return Zip<T>(c, [](T x, T y) { return x + y; });
}
template <typename T>
absl::Status Multiply(KernelContext& c) {
  return Zip<T>(c, [](T x, T y) { return x * y; });
}
template <typename T>
absl::Status Relu(KernelContext& c) {
  return Map<T>(c, [](T x) { return x > 0 ? x : T(0); });
}
template <typename T>
absl::Status ReluGrad(KernelContext& c) {
  return Zip<T>(c, [](T out, T grad) { return out > 0 ? grad : T(0); });
}

// Converts to float32 or float64.
template <typename T>
absl::Status Cast(KernelContext& c) {
  if (Out(c, 0)->dtype() == DataType::kFloat32) {
    return Map<T, float>(c, [](T x) { return static_cast<float>(x); });
  }
  return Map<T, double>(c, [](T x) { return static_cast<double>(x); });
}

// Copies elements of any dtype: copy, contiguous, reorder and assign.
inline absl::Status CopyElements(KernelContext& c) {
  const DenseTensor& x = In(c, 0);
  SY_RETURN_IF_ERROR(c.device().Allocate(Out(c, 0)));
  const size_t size = ElementSize(x.dtype());
  const auto* const from = static_cast<const char*>(x.raw_data());
  auto* const to = static_cast<char*>(Out(c, 0)->mutable_data<void>());
  for (int64_t i = 0; i < x.numel(); ++i) {
    std::memcpy(to + i * size, from + BroadcastOffset(i, x.shape(), x) * size,
                size);
  }
  return absl::OkStatus();
}

// Writes a list of contiguous tensors one after another.
template <typename T>
absl::Status Concat(KernelContext& c) {
  T* to = Out(c, 0)->mutable_data<T>();
  for (const TensorBase* part : c.inputs.list(0)) {
    const auto& x = *static_cast<const DenseTensor*>(part);
    to = std::copy_n(x.data<T>(), x.numel(), to);
  }
  return absl::OkStatus();
}

// Returns a kernel of strided tensors; `inputs` outlives it.
constexpr KernelDef NaiveKernel(const char* op, DataType dtype,
                                KernelThunk thunk,
                                absl::Span<const ArgDef> inputs,
                                absl::Span<const ArgDef> outputs = {},
                                const BackendInfo& backend = backend_cpu) {
  KernelDef def{};
  def.op = op;
  def.kernel = op;
  def.key = {&backend, DataLayout::kStrided, dtype};
  def.inputs = inputs;
  def.outputs = outputs;
  def.thunk = thunk;
  def.file = "naive_kernels.h";
  def.line = 1;
  return def;
}

}  // namespace switchyard::phi::testing

#endif  // SWITCHYARD_PHI_CORE_TESTING_NAIVE_KERNELS_H_

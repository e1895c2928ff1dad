// SPDX-License-Identifier: Apache-2.0
// Kernels of tensor arrays on the CPU. The work is done without a dtype, in
// tensor_array.cc: elements are copied byte by byte, one at each write and
// read, and arrays share all others.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_TENSOR_ARRAY_TENSOR_ARRAY_H_
#define SWITCHYARD_PHI_KERNELS_CPU_TENSOR_ARRAY_TENSOR_ARRAY_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/tensor_array.h"
#include "framework/types/float16.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::cpu {

absl::Status CreateArray(absl::Span<const int64_t> element_shape,
                         DataType dtype, TensorArray* out);
absl::Status WriteArray(const CpuContext& context, const DenseTensor& x,
                        const DenseTensor& i, const TensorArray* array,
                        TensorArray* out);
absl::Status WriteArrayGrad(const CpuContext& context, const DenseTensor& x,
                            const DenseTensor& i, const TensorArray* array,
                            const TensorArray& out_grad, DenseTensor* x_grad,
                            TensorArray* array_grad);
absl::Status ReadArray(const CpuContext& context, const TensorArray& array,
                       const DenseTensor& i, DenseTensor* out);
absl::Status ReadArrayGrad(const CpuContext& context, const TensorArray& array,
                           const DenseTensor& i, const DenseTensor& out_grad,
                           TensorArray* array_grad);
absl::Status JoinArray(const CpuContext& context, const TensorArray& array,
                       int axis, bool use_stack, DenseTensor* out,
                       DenseTensor* out_index);
absl::Status JoinArrayGrad(const CpuContext& context, const TensorArray& array,
                           const DenseTensor& out_grad, int axis,
                           bool use_stack, TensorArray* array_grad);
absl::Status PopArray(const CpuContext& context, const TensorArray& array,
                      int index, TensorArray* array_out, DenseTensor* out);
absl::Status PopArrayGrad(const CpuContext& context, const TensorArray& array,
                          const TensorArray* array_out_grad,
                          const DenseTensor* out_grad, int index,
                          TensorArray* array_grad);

// A position: an integer of one element, read on the host.
inline constexpr ArgDef kPosition = OnHost(OneOf(kIndexDtypes));

template <typename S>
inline constexpr auto kCreateArraySpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CreateArrayKernel(const CpuContext&, DataType dtype,
                               absl::Span<const int64_t> element_shape,
                               TensorArray* out) {
  return CreateArray(element_shape, dtype, out);
}

template <typename S>
inline constexpr auto kArrayWriteSpec = KernelSpec<S>()
                                            .Input(S::kI, kPosition)
                                            .Input(S::kArray, AnyStrides())
                                            .Output(S::kOut,
                                                    SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayWriteKernel(const CpuContext& context, const DenseTensor& x,
                              const DenseTensor& i, const TensorArray* array,
                              TensorArray* out) {
  return WriteArray(context, x, i, array, out);
}

template <typename S>
inline constexpr auto kArrayWriteGradSpec =
    KernelSpec<S>()
        .Input(S::kX, AnyStrides())
        .Input(S::kI, kPosition)
        .Input(S::kArray, AnyStrides())
        .Input(S::kOutGrad, AnyStrides())
        .Output(S::kArrayGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayWriteGradKernel(const CpuContext& context,
                                  const DenseTensor& x, const DenseTensor& i,
                                  const TensorArray* array,
                                  const TensorArray& out_grad,
                                  DenseTensor* x_grad,
                                  TensorArray* array_grad) {
  return WriteArrayGrad(context, x, i, array, out_grad, x_grad, array_grad);
}

template <typename S>
inline constexpr auto kArrayReadSpec = KernelSpec<S>()
                                           .Input(S::kArray, AnyStrides())
                                           .Input(S::kI, kPosition)
                                           .Output(S::kOut,
                                                   SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayReadKernel(const CpuContext& context,
                             const TensorArray& array, const DenseTensor& i,
                             DenseTensor* out) {
  return ReadArray(context, array, i, out);
}

template <typename S>
inline constexpr auto kArrayReadGradSpec = KernelSpec<S>()
                                               .Input(S::kArray, AnyStrides())
                                               .Input(S::kI, kPosition)
                                               .Output(S::kArrayGrad,
                                                       SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayReadGradKernel(const CpuContext& context,
                                 const TensorArray& array, const DenseTensor& i,
                                 const DenseTensor& out_grad,
                                 TensorArray* array_grad) {
  return ReadArrayGrad(context, array, i, out_grad, array_grad);
}

template <typename S>
inline constexpr auto kArrayLengthSpec = KernelSpec<S>()
                                             .Input(S::kArray, AnyStrides())
                                             .Output(S::kOut,
                                                     Fixed(DataType::kInt64));
template <typename T>
absl::Status ArrayLengthKernel(const CpuContext&, const TensorArray& array,
                               DenseTensor* out) {
  *out->mutable_data<int64_t>() = array.length();
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kArrayToTensorSpec =
    KernelSpec<S>()
        .Input(S::kArray, AnyStrides())
        .Output(S::kOut, SelfAllocated(ArgDef()))
        .Output(S::kOutIndex, SelfAllocated(Fixed(DataType::kInt32)));
template <typename T>
absl::Status ArrayToTensorKernel(const CpuContext& context,
                                 const TensorArray& array, int axis,
                                 bool use_stack, DenseTensor* out,
                                 DenseTensor* out_index) {
  return JoinArray(context, array, axis, use_stack, out, out_index);
}

template <typename S>
inline constexpr auto kArrayToTensorGradSpec =
    KernelSpec<S>()
        .Input(S::kArray, AnyStrides())
        .Output(S::kArrayGrad, SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayToTensorGradKernel(const CpuContext& context,
                                     const TensorArray& array,
                                     const DenseTensor& out_grad, int axis,
                                     bool use_stack, TensorArray* array_grad) {
  return JoinArrayGrad(context, array, out_grad, axis, use_stack, array_grad);
}

template <typename S>
inline constexpr auto kArrayPopSpec = KernelSpec<S>()
                                          .Input(S::kArray, AnyStrides())
                                          .Output(S::kArrayOut,
                                                  SelfAllocated(ArgDef()))
                                          .Output(S::kOut,
                                                  SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayPopKernel(const CpuContext& context, const TensorArray& array,
                            int index, TensorArray* array_out,
                            DenseTensor* out) {
  return PopArray(context, array, index, array_out, out);
}

template <typename S>
inline constexpr auto kArrayPopGradSpec = KernelSpec<S>()
                                              .Input(S::kArray, AnyStrides())
                                              .Input(S::kArrayOutGrad,
                                                     AnyStrides())
                                              .Output(S::kArrayGrad,
                                                      SelfAllocated(ArgDef()));
template <typename T>
absl::Status ArrayPopGradKernel(const CpuContext& context,
                                const TensorArray& array,
                                const TensorArray* array_out_grad,
                                const DenseTensor* out_grad, int index,
                                TensorArray* array_grad) {
  return PopArrayGrad(context, array, array_out_grad, out_grad, index,
                      array_grad);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_TENSOR_ARRAY_TENSOR_ARRAY_H_

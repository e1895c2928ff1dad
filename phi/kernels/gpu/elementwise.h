// SPDX-License-Identifier: Apache-2.0
// From tensors and attributes to the launch of an elementwise kernel on a GPU
// (elementwise_launch.h). The device side is elementwise.cuh.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_H_
#define SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_H_

#include <array>

#include "framework/device/gpu/gpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/gpu/elementwise_launch.h"

namespace switchyard::phi::kernels::gpu {

// The arguments of a kernel, gathered in order.
class ElementwiseArguments {
 public:
  void Add(const DenseTensor& input) { inputs_[input_count_++] = &input; }
  void Add(DenseTensor* output) { output_ = output; }
  void Add(const Scalar& attr) { attrs_[attr_count_++] = attr; }

  // Enqueues `launcher` over the inputs, of the dtype and of any strides, which
  // broadcast to the output's shape. FailedPrecondition where there is no GPU,
  // Internal with CUDA's words if it refuses.
  absl::Status Launch(const GpuContext& context, DataType dtype,
                      ElementwiseLauncher launcher) const;

 private:
  static constexpr int kMaxAttrs = 3;
  std::array<const DenseTensor*, kGpuMaxInputs> inputs_ = {};
  std::array<Scalar, kMaxAttrs> attrs_ = {};
  DenseTensor* output_ = nullptr;
  int input_count_ = 0;
  int attr_count_ = 0;
};

// Describes `out`'s elements and no inputs.
ElementwiseLaunch LaunchOver(DenseTensor* out, DataType dtype);
// Adds input number k, which broadcasts to the shape of the output.
void AddInput(const DenseTensor& x, int k, ElementwiseLaunch* launch);

// The kernel function for Signature over a launcher, for registration.
template <typename Signature, ElementwiseLauncher kLauncher,
          typename Function = typename Signature::Function>
struct ElementwiseEntry;

template <typename Signature, ElementwiseLauncher kLauncher, typename... A>
struct ElementwiseEntry<Signature, kLauncher,
                        absl::Status(const DeviceContext&, A...)> {
  template <typename T>
  static absl::Status Kernel(const GpuContext& context, A... args) {
    ElementwiseArguments arguments;
    (arguments.Add(args), ...);
    return arguments.Launch(context, DataTypeOf<T>::value, kLauncher);
  }
};

}  // namespace switchyard::phi::kernels::gpu

// The kernel function `Name`Kernel over the launcher of operator `name`
// (SY_GPU_LAUNCHER), and its spec: any strides; InferMeta says the output's
// dtype.
#define SY_GPU_ELEMENTWISE_KERNEL(name, Name)                                 \
  namespace switchyard::phi::kernels::gpu {                                   \
  int launch_##name(const ElementwiseLaunch& launch, const Scalar* attrs,     \
                    CUstream_st* stream);                                     \
  template <typename S>                                                       \
  inline constexpr auto k##Name##Spec =                                       \
      KernelSpec<S>().AllStrided().Output(0, AnyDtype());                     \
  template <typename T>                                                       \
  inline constexpr auto Name##Kernel =                                        \
      &ElementwiseEntry<Name##Signature, &launch_##name>::template Kernel<T>; \
  }                                                                           \
  static_assert(true, "a semicolon follows")

#endif  // SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_H_

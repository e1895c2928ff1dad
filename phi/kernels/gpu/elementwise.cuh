// SPDX-License-Identifier: Apache-2.0
// The device side of elementwise kernels: a functor of phi/kernels/functors
// over one number a thread. The host's counterpart is
// phi/kernels/cpu/elementwise/elementwise-inl.h.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_CUH_
#define SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_CUH_

#include "cuda_runtime.h"
#include "phi/kernels/gpu/elementwise_launch.h"
#include "phi/kernels/gpu/value.cuh"

namespace switchyard::phi::kernels::gpu {

template <int kInputs, class Functor, typename T>
__global__ void ElementwiseKernel(ElementwiseLaunch launch, Functor functor) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  const ScalarTag<T> d;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       i < launch.count; i += step) {
    T v[2] = {};
    int64_t offsets[2] = {};
    int64_t rest = i;
    for (int axis = launch.rank - 1; axis >= 0; --axis) {
      const int64_t index = rest % launch.extents[axis];
      rest /= launch.extents[axis];
      for (int k = 0; k < kInputs; ++k) {
        offsets[k] += index * launch.strides[k][axis];
      }
    }
    for (int k = 0; k < kInputs; ++k) {
      v[k] = static_cast<const T*>(launch.inputs[k])[offsets[k]];
    }
    T* out = static_cast<T*>(launch.output) + i;
    if constexpr (kInputs == 1) {
      *out = functor(d, v[0]);
    } else {
      *out = functor(d, v[0], v[1]);
    }
  }
}

template <template <typename> class Functor, typename T>
int LaunchElementwise(const ElementwiseLaunch& launch, CUstream_st* stream) {
  constexpr int kThreads = 256;
  constexpr int64_t kMaxBlocks = 1 << 16;
  const int64_t blocks = (launch.count + kThreads - 1) / kThreads;
  const auto grid =
      static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
  const auto kernel = &ElementwiseKernel<Functor<T>::kInputs, Functor<T>, T>;
  kernel<<<grid, kThreads, 0, stream>>>(launch, Functor<T>());
  return cudaGetLastError();
}

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_CUH_

// SPDX-License-Identifier: Apache-2.0
// The device side of elementwise kernels: a functor of phi/kernels/functors
// over one number a thread. The host's counterpart is
// phi/kernels/cpu/elementwise/elementwise-inl.h.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_CUH_
#define SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_CUH_

#include <utility>

#include "phi/kernels/gpu/elements.cuh"
#include "phi/kernels/gpu/elementwise_launch.h"
#include "phi/kernels/gpu/value.cuh"

namespace switchyard::phi::kernels::gpu {

template <class Functor, typename T>
struct ElementwiseKernel {
  static_assert(Functor::kNonzero < 0 || std::is_floating_point_v<T>,
                "an integer that is 0 would be found on the device alone");
  ElementwiseLaunch launch;
  Functor functor;

  SY_DEVICE void operator()(int64_t i) const {
    Run(i, std::make_index_sequence<Functor::kInputs>());
  }

 private:
  template <size_t... I>
  SY_DEVICE void Run(int64_t i, std::index_sequence<I...>) const {
    int64_t offsets[Functor::kInputs] = {};
    int64_t rest = i;
    for (int axis = launch.rank - 1; axis >= 0; --axis) {
      const int64_t index = rest % launch.extents[axis];
      rest /= launch.extents[axis];
      ((offsets[I] += index * launch.strides[I][axis]), ...);
    }
    const auto value =
        functor(ScalarTag<T>(),
                LoadElement<T>(launch.inputs[I], launch.dtype, offsets[I])...);
    if constexpr (Functor::kMask) {
      static_cast<bool*>(launch.output)[i] = value;
    } else {
      StoreElement<T>(value, launch.dtype, i, launch.output);
    }
  }
};

// An attribute, as whatever a functor's constructor takes.
struct FunctorArgument {
  const Scalar& value;
  operator double() const { return value.ToDouble(); }
  operator int() const { return value.to<int>(); }
  operator bool() const { return value.to<bool>(); }
  operator const Scalar&() const { return value; }
};

template <class Functor>
Functor MakeFunctor(const Scalar* attrs) {
  using A = FunctorArgument;
  if constexpr (std::is_constructible_v<Functor, A, A, A>) {
    return Functor(A{attrs[0]}, A{attrs[1]}, A{attrs[2]});
  } else if constexpr (std::is_constructible_v<Functor, A, A>) {
    return Functor(A{attrs[0]}, A{attrs[1]});
  } else if constexpr (std::is_constructible_v<Functor, A>) {
    return Functor(A{attrs[0]});
  } else {
    return Functor();
  }
}

// For the one of T... that elements of the launch's dtype are computed in.
template <template <typename> class Functor, typename... T>
int LaunchElementwise(const ElementwiseLaunch& launch, const Scalar* attrs,
                      CUstream_st* stream) {
  int code = cudaErrorInvalidValue;
  ((ComputedIn<T>(launch.dtype) &&
    (code = LaunchThreads(launch.count,
                          ElementwiseKernel<Functor<T>, T>{
                              launch, MakeFunctor<Functor<T>>(attrs)},
                          stream),
     true)) ||
   ...);
  return code;
}

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_CUH_

// The launcher of operator `name`, for the types that its dtypes are computed
// in.
#undef SY_GPU_LAUNCHER
#define SY_GPU_LAUNCHER(name, Functor, ...)                            \
  int launch_##name(const ElementwiseLaunch& launch, const Scalar* a,  \
                    CUstream_st* stream) {                             \
    return LaunchElementwise<Functor, __VA_ARGS__>(launch, a, stream); \
  }

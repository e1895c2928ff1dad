// SPDX-License-Identifier: Apache-2.0
// The device side of elementwise kernels: a functor of phi/kernels/functors
// over one number a thread, or four. The host's counterpart is
// phi/kernels/cpu/elementwise/elementwise-inl.h.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_CUH_
#define SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_CUH_

#include <cstdint>
#include <type_traits>
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

  // Of the elements of thread n.
  SY_DEVICE void operator()(int64_t n) const {
    if (!launch.in_fours) return Run<1>(n);
    const int64_t begin = 4 * n;
    if (begin + 4 <= launch.count) return Run<4>(begin);
    for (int64_t i = begin; i < launch.count; ++i) Run<1>(i);
  }

 private:
  static constexpr int kInputs = Functor::kInputs;

  template <int width>
  SY_DEVICE void Run(int64_t i) const {
    int64_t offsets[kInputs] = {};
    if (launch.count <= UINT32_MAX) {
      AddOffsets(static_cast<uint32_t>(i), offsets);
    } else {
      AddOffsets(static_cast<uint64_t>(i), offsets);
    }
    Compute<width>(i, offsets, std::make_index_sequence<kInputs>());
  }

  // Where element i of the output is in the inputs. The first axis takes what
  // the others leave, without a division.
  template <typename Index>
  SY_DEVICE void AddOffsets(Index i, int64_t* offsets) const {
    if (launch.rank == 0) return;
    for (int axis = launch.rank - 1; axis > 0; --axis) {
      const auto extent = static_cast<Index>(launch.extents[axis]);
      const auto index = static_cast<int64_t>(i % extent);
      i /= extent;
      for (int k = 0; k < kInputs; ++k) {
        offsets[k] += index * launch.strides[k][axis];
      }
    }
    for (int k = 0; k < kInputs; ++k) {
      offsets[k] += static_cast<int64_t>(i) * launch.strides[k][0];
    }
  }

  template <int width, size_t... I>
  SY_DEVICE void Compute(int64_t i, const int64_t* offsets,
                         std::index_sequence<I...>) const {
    T x[kInputs][width];
    (Load<width>(I, offsets[I], x[I]), ...);
    std::conditional_t<Functor::kMask, bool, T> value[width];
    for (int k = 0; k < width; ++k) {
      value[k] = functor(ScalarTag<T>(), x[I][k]...);
    }
    if constexpr (Functor::kMask) {
      Pack<bool, width> pack;
      for (int k = 0; k < width; ++k) pack.of[k] = value[k];
      *reinterpret_cast<Pack<bool, width>*>(static_cast<bool*>(launch.output) +
                                            i) = pack;
    } else {
      StoreElements<width>(value, launch.dtype, i, launch.output);
    }
  }

  template <int width>
  SY_DEVICE void Load(size_t k, int64_t offset, T* x) const {
    if (width == 1 || launch.strides[k][launch.rank - 1] != 0) {
      return LoadElements<width>(launch.inputs[k], launch.dtype, offset, x);
    }
    const T same = LoadElement<T>(launch.inputs[k], launch.dtype, offset);
    for (int j = 0; j < width; ++j) x[j] = same;
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
  const int64_t threads =
      launch.in_fours ? (launch.count + 3) / 4 : launch.count;
  ((ComputedIn<T>(launch.dtype) &&
    (code = LaunchThreads(threads,
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

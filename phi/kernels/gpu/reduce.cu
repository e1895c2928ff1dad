// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <type_traits>

#include "phi/kernels/gpu/elements.cuh"
#include "phi/kernels/gpu/reduce_launch.h"

namespace switchyard::phi::kernels::gpu {
namespace {

// How totals begin and take in one more. A total of integers wraps around.
template <typename A>
struct SumOf {
  static SY_DEVICE A Start() { return 0; }
  static SY_DEVICE A Join(A a, A b) {
    if constexpr (std::is_integral_v<A>) {
      return static_cast<A>(static_cast<uint64_t>(a) +
                            static_cast<uint64_t>(b));
    } else {
      return a + b;
    }
  }
};
template <typename A>
struct ProductOf {
  static SY_DEVICE A Start() { return 1; }
  static SY_DEVICE A Join(A a, A b) {
    if constexpr (std::is_integral_v<A>) {
      return static_cast<A>(static_cast<uint64_t>(a) *
                            static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
};
// NaN where one of them is.
template <typename A, bool largest>
struct ExtremeOf {
  static SY_DEVICE A Start() {
    using Limits = std::numeric_limits<A>;
    if constexpr (Limits::has_infinity) {
      return largest ? -Limits::infinity() : Limits::infinity();
    } else {
      return largest ? Limits::min() : Limits::max();
    }
  }
  static SY_DEVICE A Join(A a, A b) {
    return b != b || (largest ? a < b : b < a) ? b : a;
  }
};
template <typename A>
struct AnyOf {
  static SY_DEVICE A Start() { return 0; }
  static SY_DEVICE A Join(A a, A b) { return A(a != A{0} || b != A{0}); }
};
template <typename A>
struct AllOf {
  static SY_DEVICE A Start() { return 1; }
  static SY_DEVICE A Join(A a, A b) { return A(a != A{0} && b != A{0}); }
};

// The type of totals.
template <typename T>
using TotalOf = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

// Where index i of axes [begin, end), in row-major order, is in x.
SY_DEVICE int64_t OffsetOf(const ReduceLaunch& launch, int begin, int end,
                           int64_t i) {
  int64_t offset = 0;
  for (int axis = end - 1; axis >= begin; --axis) {
    offset += i % launch.extents[axis] * launch.strides[axis];
    i /= launch.extents[axis];
  }
  return offset;
}

template <typename T>
SY_DEVICE void Finish(const ReduceLaunch& launch, int64_t o, TotalOf<T> total) {
  if constexpr (std::is_integral_v<T>) {
    if (launch.out_dtype == DataType::kInt64) {
      static_cast<int64_t*>(launch.out)[o] = total;
    } else {
      StoreElement<int32_t>(static_cast<int32_t>(total), launch.out_dtype, o,
                            launch.out);
    }
  } else if (launch.out_dtype == DataType::kBool) {
    static_cast<bool*>(launch.out)[o] = total != 0;
  } else {
    StoreElement<T>(static_cast<T>(total / launch.divisor), launch.out_dtype, o,
                    launch.out);
  }
}

// A part of an element: every `parts`-th of its terms. Threads side by side
// read what lies side by side.
template <class Op, typename T>
struct PartKernel {
  ReduceLaunch launch;
  SY_DEVICE void operator()(int64_t i) const {
    const bool rows = launch.last_reduced;
    const int64_t o = rows ? i / launch.parts : i % launch.kept;
    const int64_t first = rows ? i % launch.parts : i / launch.kept;
    const int64_t base = OffsetOf(launch, 0, launch.kept_axes, o);
    TotalOf<T> total = Op::Start();
    for (int64_t r = first; r < launch.reduced; r += launch.parts) {
      const int64_t at =
          base + OffsetOf(launch, launch.kept_axes, launch.axes, r);
      total = Op::Join(total, static_cast<TotalOf<T>>(
                                  LoadElement<T>(launch.x, launch.dtype, at)));
    }
    if (launch.parts == 1) {
      Finish<T>(launch, o, total);
    } else {
      static_cast<TotalOf<T>*>(launch.partial)[first * launch.kept + o] = total;
    }
  }
};

// The parts of element o together.
template <class Op, typename T>
struct JoinKernel {
  ReduceLaunch launch;
  SY_DEVICE void operator()(int64_t o) const {
    const auto* partial = static_cast<const TotalOf<T>*>(launch.partial);
    TotalOf<T> total = Op::Start();
    for (int64_t part = 0; part < launch.parts; ++part) {
      total = Op::Join(total, partial[part * launch.kept + o]);
    }
    Finish<T>(launch, o, total);
  }
};

template <class Op, typename T>
int Reduce(const ReduceLaunch& launch, CUstream_st* stream) {
  const int code = LaunchThreads(launch.kept * launch.parts,
                                 PartKernel<Op, T>{launch}, stream);
  if (code != cudaSuccess || launch.parts == 1) return code;
  return LaunchThreads(launch.kept, JoinKernel<Op, T>{launch}, stream);
}

template <typename T>
int ReduceOf(const ReduceLaunch& launch, CUstream_st* stream) {
  using A = TotalOf<T>;
  switch (launch.kind) {
    case ReduceKind::kSum:
      return Reduce<SumOf<A>, T>(launch, stream);
    case ReduceKind::kProd:
      return Reduce<ProductOf<A>, T>(launch, stream);
    case ReduceKind::kMax:
      return Reduce<ExtremeOf<A, true>, T>(launch, stream);
    case ReduceKind::kMin:
      return Reduce<ExtremeOf<A, false>, T>(launch, stream);
    case ReduceKind::kAny:
      return Reduce<AnyOf<A>, T>(launch, stream);
    case ReduceKind::kAll:
      return Reduce<AllOf<A>, T>(launch, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace

int LaunchReduce(const ReduceLaunch& launch, CUstream_st* stream) {
  if (ComputedIn<float>(launch.dtype)) return ReduceOf<float>(launch, stream);
  if (ComputedIn<double>(launch.dtype)) return ReduceOf<double>(launch, stream);
  if (ComputedIn<int64_t>(launch.dtype)) {
    return ReduceOf<int64_t>(launch, stream);
  }
  return ReduceOf<int32_t>(launch, stream);
}

}  // namespace switchyard::phi::kernels::gpu

// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
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
    const int64_t base = OffsetOf(launch.extents, launch.strides, 0,
                                  launch.kept_axes, static_cast<uint64_t>(o));
    TotalOf<T> total = Op::Start();
    AsStored<T>(launch.dtype, [&](auto stored) {
      const auto* const x =
          static_cast<const decltype(stored)*>(launch.x) + base;
      total = launch.axes - launch.kept_axes == 1 ? OfOneAxis(x, first)
              : launch.reduced <= UINT32_MAX      ? OfAxes<uint32_t>(x, first)
                                                  : OfAxes<uint64_t>(x, first);
    });
    if (launch.parts == 1) {
      Finish<T>(launch, o, total);
    } else {
      static_cast<TotalOf<T>*>(launch.partial)[first * launch.kept + o] = total;
    }
  }

 private:
  // Terms of a thread that are read at once.
  static constexpr int kAtOnce = 8;

  template <typename S>
  static SY_DEVICE TotalOf<T> Term(S v) {
    return static_cast<TotalOf<T>>(FromStored<T>(v));
  }

  template <typename S>
  SY_DEVICE TotalOf<T> OfOneAxis(const S* x, int64_t first) const {
    const int64_t step = launch.parts, end = launch.reduced;
    const int64_t stride = launch.strides[launch.kept_axes];
    TotalOf<T> total = Op::Start();
    int64_t r = first;
    for (; r + (kAtOnce - 1) * step < end; r += kAtOnce * step) {
      S terms[kAtOnce];
      for (int k = 0; k < kAtOnce; ++k) terms[k] = x[(r + k * step) * stride];
      for (int k = 0; k < kAtOnce; ++k) {
        total = Op::Join(total, Term(terms[k]));
      }
    }
    for (; r < end; r += step) total = Op::Join(total, Term(x[r * stride]));
    return total;
  }

  template <typename Index, typename S>
  SY_DEVICE TotalOf<T> OfAxes(const S* x, int64_t first) const {
    TotalOf<T> total = Op::Start();
    for (int64_t r = first; r < launch.reduced; r += launch.parts) {
      const int64_t at =
          OffsetOf(launch.extents, launch.strides, launch.kept_axes,
                   launch.axes, static_cast<Index>(r));
      total = Op::Join(total, Term(x[at]));
    }
    return total;
  }
};

// Makes `next` parts of each element out of `parts`: its part q is made of
// every next-th from q.
template <class Op, typename T>
struct JoinKernel {
  ReduceLaunch launch;
  const TotalOf<T>* from;
  TotalOf<T>* to;
  int64_t parts;
  int64_t next;

  SY_DEVICE void operator()(int64_t i) const {
    const int64_t o = i % launch.kept;
    TotalOf<T> total = Op::Start();
    for (int64_t part = i / launch.kept; part < parts; part += next) {
      total = Op::Join(total, from[part * launch.kept + o]);
    }
    if (next == 1) {
      Finish<T>(launch, o, total);
    } else {
      to[i] = total;
    }
  }
};

template <class Op, typename T>
int Reduce(const ReduceLaunch& launch, CUstream_st* stream) {
  int code = LaunchThreads(launch.kept * launch.parts,
                           PartKernel<Op, T>{launch}, stream);
  auto* from = static_cast<TotalOf<T>*>(launch.partial);
  for (int64_t parts = launch.parts; parts > 1 && code == cudaSuccess;) {
    const int64_t next = (parts + kJoinedParts - 1) / kJoinedParts;
    TotalOf<T>* const to = from + launch.kept * parts;
    code =
        LaunchThreads(launch.kept * next,
                      JoinKernel<Op, T>{launch, from, to, parts, next}, stream);
    from = to;
    parts = next;
  }
  return code;
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

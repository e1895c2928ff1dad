// SPDX-License-Identifier: Apache-2.0
// Random kernels of the CPU: gaussian, uniform, randint, dropout and its
// gradient. They draw by the convention of framework/random/philox.h, whole
// blocks at a time, so the numbers depend on (seed, offset, stream) and
// position alone.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RANDOM_RANDOM_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RANDOM_RANDOM_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/random/philox.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/conversion/in_float.h"

namespace switchyard::phi::kernels::cpu {

inline constexpr int64_t kRandomGrain = 1 << 13;  // Elements a chunk.

inline absl::StatusOr<PhiloxStream> MakeStream(const DenseTensor* rng,
                                               int64_t stream) {
  if (rng == nullptr) {
    return ArgumentError("rng", "a tensor int64[2] (seed, offset)", "nothing");
  }
  const int64_t* state = rng->data<int64_t>();
  return PhiloxStream(state[0], state[1], stream);
}

// Calls fn(i, u) for each element, u uniform in [0, 1): of 24 bits for float,
// 53 for double.
template <typename T, typename Fn>
void ForEachUniform(const PhiloxStream& stream, int64_t numel, Fn fn) {
  constexpr int64_t kPerBlock = sizeof(T) == 4 ? 4 : 2;
  static_assert(kRandomGrain % kPerBlock == 0, "chunks hold whole blocks");
  ParallelFor(0, numel, kRandomGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += kPerBlock) {
      const PhiloxBlock block = stream.Block(i / kPerBlock);
      const int64_t count = std::min(kPerBlock, end - i);
      for (int64_t j = 0; j < count; ++j) {
        if constexpr (sizeof(T) == 4) {
          fn(i + j, UniformFloat(block[static_cast<size_t>(j)]));
        } else {
          fn(i + j,
             UniformDouble(PhiloxStream::Word64(block, static_cast<int>(j))));
        }
      }
    }
  });
}

// The type in which numbers are drawn: float for float16 and bfloat16.
template <typename T>
using Drawn = std::conditional_t<sizeof(T) == 8, double, float>;

// The greatest number that rounding may give in [min, max): below max, unless
// there is no T in between.
template <typename T>
T UniformLimit(Drawn<T> min, Drawn<T> max) {
  T limit = static_cast<T>(max);
  if (limit >= max) {
    if constexpr (sizeof(T) == 2) {
      limit = NextBelow(limit);
    } else {
      limit = std::nextafter(limit, std::numeric_limits<T>::lowest());
    }
  }
  return limit < static_cast<T>(min) ? static_cast<T>(min) : limit;
}

template <typename S>
inline constexpr auto kUniformSpec =
    KernelSpec<S>().Input(S::kRng, OnHost(Fixed(DataType::kInt64)));
template <typename T>
absl::Status UniformKernel(const CpuContext&, const DenseTensor* rng, IntArray,
                           double min, double max, DataType, int64_t stream,
                           DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const PhiloxStream draws, MakeStream(rng, stream));
  using D = Drawn<T>;
  T* to = out->mutable_data<T>();
  const D low = D(min);
  const D width = D(max) - low;
  const T limit = UniformLimit<T>(low, D(max));
  ForEachUniform<D>(draws, out->numel(), [&](int64_t i, D u) {
    const T value = static_cast<T>(low + width * u);
    to[i] = value > limit ? limit : value;
  });
  return absl::OkStatus();
}

// Standard normal numbers for the elements of a block.
template <typename D>
auto NormalsOf(const PhiloxBlock& block) {
  if constexpr (sizeof(D) == 4) {
    return PhiloxStream::Normals32(block);
  } else {
    return PhiloxStream::Normals64(block);
  }
}

template <typename S>
inline constexpr auto kGaussianSpec =
    KernelSpec<S>().Input(S::kRng, OnHost(Fixed(DataType::kInt64)));
template <typename T>
absl::Status GaussianKernel(const CpuContext&, const DenseTensor* rng, IntArray,
                            double mean, double std, DataType, int64_t stream,
                            DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const PhiloxStream draws, MakeStream(rng, stream));
  using D = Drawn<T>;
  constexpr int64_t kPerBlock = sizeof(D) == 4 ? 4 : 2;
  const D center = D(mean), scale = D(std);
  T* to = out->mutable_data<T>();
  ParallelFor(0, out->numel(), kRandomGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += kPerBlock) {
      const PhiloxBlock block = draws.Block(i / kPerBlock);
      const int64_t count = std::min(kPerBlock, end - i);
      const auto normals = NormalsOf<D>(block);
      for (int64_t j = 0; j < count; ++j) {
        to[i + j] =
            static_cast<T>(center + scale * normals[static_cast<size_t>(j)]);
      }
    }
  });
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kRandintSpec =
    KernelSpec<S>().Input(S::kRng, OnHost(Fixed(DataType::kInt64)));
// Element i from the 64-bit draw i: the high word of draw * (high - low), which
// is even to one part in 2^64 / (high - low).
template <typename T>
absl::Status RandintKernel(const CpuContext&, const DenseTensor* rng,
                           int64_t low, int64_t high, IntArray, DataType,
                           int64_t stream, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const PhiloxStream draws, MakeStream(rng, stream));
  const uint64_t count =
      static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  T* to = out->mutable_data<T>();
  ParallelFor(0, out->numel(), kRandomGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += 2) {
      const PhiloxBlock block = draws.Block(i / 2);
      for (int j = 0; j < 2 && i + j < end; ++j) {
        __extension__ using Wide = unsigned __int128;
        const auto step = static_cast<uint64_t>(
            Wide{PhiloxStream::Word64(block, j)} * count >> 64);
        to[i + j] = static_cast<T>(static_cast<uint64_t>(low) + step);
      }
    }
  });
  return absl::OkStatus();
}

// Returns the factor of a kept element in the training phase.
template <typename T>
T DropoutScale(T p, std::string_view mode) {
  return mode == "upscale_in_train" && p < 1 ? T{1} / (T{1} - p) : T{1};
}

template <typename S>
inline constexpr auto kDropoutSpec = KernelSpec<S>()
                                         .Input(S::kRng,
                                                OnHost(Fixed(DataType::kInt64)))
                                         .Output(S::kMask,
                                                 Fixed(DataType::kUInt8));
template <typename T>
absl::Status DropoutOf(const CpuContext&, const DenseTensor& x,
                       const DenseTensor* rng, double p, bool is_test,
                       std::string_view mode, int64_t stream, DenseTensor* out,
                       DenseTensor* mask) {
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  uint8_t* kept = mask->mutable_data<uint8_t>();
  if (is_test) {
    const T scale = mode == "upscale_in_train" ? T{1} : T{1} - T(p);
    for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] * scale;
    std::fill_n(kept, x.numel(), uint8_t{1});
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const PhiloxStream draws, MakeStream(rng, stream));
  const T scale = DropoutScale<T>(T(p), mode);
  ForEachUniform<T>(draws, x.numel(), [&](int64_t i, T u) {
    kept[i] = u >= T(p);
    to[i] = kept[i] ? from[i] * scale : T{0};
  });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto DropoutKernel =
    KernelInFloat<T, &DropoutOf<FloatFor<T>>>();

template <typename S>
inline constexpr auto kDropoutGradSpec =
    KernelSpec<S>().Input(S::kMask, Fixed(DataType::kUInt8));
template <typename T>
absl::Status DropoutGradOf(const CpuContext&, const DenseTensor& mask,
                           const DenseTensor& out_grad, double p, bool is_test,
                           std::string_view mode, DenseTensor* x_grad) {
  T scale = DropoutScale<T>(T(p), mode);
  if (is_test) scale = mode == "upscale_in_train" ? T{1} : T{1} - T(p);
  const uint8_t* kept = mask.data<uint8_t>();
  const T* from = out_grad.data<T>();
  T* to = x_grad->mutable_data<T>();
  ParallelFor(0, mask.numel(), kRandomGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = kept[i] ? from[i] * scale : T{0};
    }
  });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto DropoutGradKernel =
    KernelInFloat<T, &DropoutGradOf<FloatFor<T>>>();

template <typename S>
inline constexpr auto kRreluSpec =
    KernelSpec<S>().Input(S::kRng, OnHost(Fixed(DataType::kInt64)));
// The slope of a negative element is drawn, or the mean one where is_test.
template <typename T>
absl::Status RreluOf(const CpuContext&, const DenseTensor& x,
                     const DenseTensor* rng, double lower, double upper,
                     bool is_test, int64_t stream, DenseTensor* out,
                     DenseTensor* noise) {
  const T* from = x.data<T>();
  T* to = out->mutable_data<T>();
  T* slopes = noise->mutable_data<T>();
  const auto set = [&](int64_t i, T slope) {
    slopes[i] = from[i] < T{0} ? slope : T{1};
    to[i] = from[i] * slopes[i];
  };
  if (is_test) {
    const T mean = (T(lower) + T(upper)) / T{2};
    for (int64_t i = 0; i < x.numel(); ++i) set(i, mean);
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const PhiloxStream draws, MakeStream(rng, stream));
  const T width = T(upper) - T(lower);
  ForEachUniform<T>(draws, x.numel(),
                    [&](int64_t i, T u) { set(i, T(lower) + width * u); });
  return absl::OkStatus();
}
template <typename T>
inline constexpr auto RreluKernel = KernelInFloat<T, &RreluOf<FloatFor<T>>>();

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RANDOM_RANDOM_H_

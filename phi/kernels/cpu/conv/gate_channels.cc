// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/conv/gate_channels.h"

#include <type_traits>

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/conv/gate_channels.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"
// After it: the header of each instruction set.
#include "phi/kernels/cpu/simd/vector_tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

// Blocks have 8 channels or a multiple of 8: no vector is longer.
template <typename T>
using BlockTag = hn::CappedTag<T, 8>;

template <class V>
HWY_INLINE V Plus(V a, V b) {
  if constexpr (std::is_floating_point_v<V>) {
    return a + b;
  } else {
    return hn::Add(a, b);
  }
}

// The sum over p of load(p), which are vectors or numbers: four sums that take
// turns, since one would wait for itself.
template <class V, class Load>
HWY_INLINE V SumOf(V zero, int64_t count, const Load& load) {
  V a = zero, b = zero, c = zero, e = zero;
  int64_t p = 0;
  for (; p + 4 <= count; p += 4) {
    a = Plus(a, load(p));
    b = Plus(b, load(p + 1));
    c = Plus(c, load(p + 2));
    e = Plus(e, load(p + 3));
  }
  for (; p < count; ++p) a = Plus(a, load(p));
  return Plus(Plus(a, b), Plus(c, e));
}

template <typename T>
void Means(const ImageBlocks<T>& image, T* means) {
  const BlockTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(BlockTag<T>());
  const T count = static_cast<T>(image.pixels);
  for (int64_t i = 0; i < image.blocks; ++i) {
    const T* const x = image.x + i * image.pixels * image.block;
    if (image.block == 1) {
      // In the order of blocks, and so to the same bits.
      means[i] =
          SumOf(T{0}, image.pixels, [x](int64_t p) { return x[p]; }) / count;
      continue;
    }
    for (int64_t c = 0; c < image.block; c += kLanes) {
      const auto sum =
          SumOf(hn::Zero(d), image.pixels, [&](int64_t p) HWY_ATTR {
            return hn::LoadU(d, x + p * image.block + c);
          });
      hn::StoreU(hn::Div(sum, hn::Set(d, count)), d,
                 means + i * image.block + c);
    }
  }
}

template <typename T>
void Gate(const ImageBlocks<T>& image, const T* gates, T* out) {
  const BlockTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(BlockTag<T>());
  for (int64_t i = 0; i < image.blocks; ++i) {
    const int64_t begin = i * image.pixels * image.block;
    const T* const x = image.x + begin;
    T* const to = out + begin;
    if (image.block == 1) {
      const VectorTag<T> whole;
      constexpr int64_t kWhole = hn::MaxLanes(VectorTag<T>());
      const auto gate = hn::Set(whole, gates[i]);
      for (int64_t p = 0; p < image.pixels; p += kWhole) {
        const int64_t rest = image.pixels - p;
        StoreSome<T>(hn::Mul(gate, LoadSome(x + p, rest, T{0})), rest, to + p);
      }
      continue;
    }
    for (int64_t c = 0; c < image.block; c += kLanes) {
      const auto gate = hn::LoadU(d, gates + i * image.block + c);
      for (int64_t p = 0; p < image.pixels; ++p) {
        const int64_t at = p * image.block + c;
        hn::StoreU(hn::Mul(gate, hn::LoadU(d, x + at)), d, to + at);
      }
    }
  }
}

template <typename T>
void TimesVector(const MatrixTimesVector<T>& product) {
  const VectorTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  const int64_t vectors = (product.columns + kLanes - 1) / kLanes;
  for (int64_t i = 0; i < product.rows; ++i) {
    const T* const row = product.matrix + i * product.columns;
    const auto sum = SumOf(hn::Zero(d), vectors, [&](int64_t p) HWY_ATTR {
      const int64_t at = p * kLanes, rest = product.columns - at;
      return hn::Mul(LoadSome(row + at, rest, T{0}),
                     LoadSome(product.x + at, rest, T{0}));
    });
    product.out[i] = hn::GetLane(hn::SumOfLanes(d, sum)) +
                     (product.bias == nullptr ? T{0} : product.bias[i]);
  }
}

void MeansFloat(const ImageBlocks<float>& image, float* means) {
  Means(image, means);
}
void MeansDouble(const ImageBlocks<double>& image, double* means) {
  Means(image, means);
}
void GateFloat(const ImageBlocks<float>& image, const float* gates,
               float* out) {
  Gate(image, gates, out);
}
void GateDouble(const ImageBlocks<double>& image, const double* gates,
                double* out) {
  Gate(image, gates, out);
}
void TimesFloat(const MatrixTimesVector<float>& product) {
  TimesVector(product);
}
void TimesDouble(const MatrixTimesVector<double>& product) {
  TimesVector(product);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {
HWY_EXPORT(MeansFloat);
HWY_EXPORT(MeansDouble);
HWY_EXPORT(GateFloat);
HWY_EXPORT(GateDouble);
HWY_EXPORT(TimesFloat);
HWY_EXPORT(TimesDouble);
}  // namespace

void MeansOfChannels(const ImageBlocks<float>& image, float* means) {
  HWY_DYNAMIC_DISPATCH(MeansFloat)(image, means);
}
void MeansOfChannels(const ImageBlocks<double>& image, double* means) {
  HWY_DYNAMIC_DISPATCH(MeansDouble)(image, means);
}
void GateChannels(const ImageBlocks<float>& image, const float* gates,
                  float* out) {
  HWY_DYNAMIC_DISPATCH(GateFloat)(image, gates, out);
}
void GateChannels(const ImageBlocks<double>& image, const double* gates,
                  double* out) {
  HWY_DYNAMIC_DISPATCH(GateDouble)(image, gates, out);
}
void MultiplyVector(const MatrixTimesVector<float>& product) {
  HWY_DYNAMIC_DISPATCH(TimesFloat)(product);
}
void MultiplyVector(const MatrixTimesVector<double>& product) {
  HWY_DYNAMIC_DISPATCH(TimesDouble)(product);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE

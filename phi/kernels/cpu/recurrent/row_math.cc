// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/recurrent/row_math.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/recurrent/row_math.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"
// After it: the headers of each instruction set.
#include "phi/kernels/cpu/simd/vector_tails-inl.h"
#include "phi/kernels/functors/elementary.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace functors = kernels::HWY_NAMESPACE;

template <typename T>
using Tag = VectorTag<T>;
template <typename T>
using Vector = hn::Vec<Tag<T>>;

template <typename T>
HWY_INLINE Vector<T> Activate(RowActivation::Kind kind, Vector<T> x) {
  const Tag<T> d;
  switch (kind) {
    case RowActivation::Kind::kSigmoid: {
      // A NaN is on neither side.
      const auto low = hn::Set(d, T{-40}), high = hn::Set(d, T{13});
      x = hn::IfThenElse(hn::Lt(x, low), low, x);
      return functors::Logistic(d, hn::IfThenElse(hn::Gt(x, high), high, x));
    }
    case RowActivation::Kind::kTanh:
      return functors::HyperbolicTangent(d, x);
    case RowActivation::Kind::kRelu:
      return hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), x);
    case RowActivation::Kind::kIdentity:
      break;
  }
  return x;
}

template <typename T>
HWY_INLINE void ApplyTo(RowActivation::Kind kind, T* values, int64_t count) {
  constexpr int64_t kLanes = hn::MaxLanes(Tag<T>());
  for (int64_t i = 0; i < count; i += kLanes) {
    const auto x = LoadSome(values + i, count - i, T{0});
    StoreSome<T>(Activate<T>(kind, x), count - i, values + i);
  }
}

// AddRowTimes() of some vectors of columns, whose sums stay in registers.
template <typename T, int kVectors>
HWY_INLINE void AddColumns(const T* row, const T* matrix, int64_t inner,
                           int64_t width, T* out) {
  const Tag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(Tag<T>());
  Vector<T> sums[kVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) sums[v] = hn::LoadU(d, out + v * kLanes);
  for (int64_t i = 0; i < inner; ++i, matrix += width) {
    const auto factor = hn::Set(d, row[i]);
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const auto line = hn::LoadU(d, matrix + v * kLanes);
      sums[v] = hn::Add(sums[v], hn::Mul(factor, line));
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    hn::StoreU(sums[v], d, out + v * kLanes);
  }
}

template <typename T>
HWY_INLINE void AddProduct(const T* row, const T* matrix, int64_t inner,
                           int64_t width, T* out) {
  constexpr int64_t kLanes = hn::MaxLanes(Tag<T>());
  int64_t j = 0;
  for (; j + 8 * kLanes <= width; j += 8 * kLanes) {
    AddColumns<T, 8>(row, matrix + j, inner, width, out + j);
  }
  for (; j + 2 * kLanes <= width; j += 2 * kLanes) {
    AddColumns<T, 2>(row, matrix + j, inner, width, out + j);
  }
  for (; j + kLanes <= width; j += kLanes) {
    AddColumns<T, 1>(row, matrix + j, inner, width, out + j);
  }
  if (j == width) return;
  auto sum = LoadSome(out + j, width - j, T{0});
  for (int64_t i = 0; i < inner; ++i) {
    const auto line = LoadSome(matrix + i * width + j, width - j, T{0});
    sum = hn::Add(sum, hn::Mul(hn::Set(Tag<T>(), row[i]), line));
  }
  StoreSome<T>(sum, width - j, out + j);
}

}  // namespace

void ApplyRowFloats(RowActivation::Kind kind, float* values, int64_t count) {
  ApplyTo(kind, values, count);
}
void ApplyRowDoubles(RowActivation::Kind kind, double* values, int64_t count) {
  ApplyTo(kind, values, count);
}
void AddRowFloats(const float* row, const float* matrix, int64_t inner,
                  int64_t width, float* out) {
  AddProduct(row, matrix, inner, width, out);
}
void AddRowDoubles(const double* row, const double* matrix, int64_t inner,
                   int64_t width, double* out) {
  AddProduct(row, matrix, inner, width, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {

HWY_EXPORT(ApplyRowFloats);
HWY_EXPORT(ApplyRowDoubles);
HWY_EXPORT(AddRowFloats);
HWY_EXPORT(AddRowDoubles);

void RowActivation::Apply(float* values, int64_t count) const {
  HWY_DYNAMIC_DISPATCH(ApplyRowFloats)(kind_, values, count);
}
void RowActivation::Apply(double* values, int64_t count) const {
  HWY_DYNAMIC_DISPATCH(ApplyRowDoubles)(kind_, values, count);
}
void AddRowTimes(const float* row, const float* matrix, int64_t inner,
                 int64_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(AddRowFloats)(row, matrix, inner, width, out);
}
void AddRowTimes(const double* row, const double* matrix, int64_t inner,
                 int64_t width, double* out) {
  HWY_DYNAMIC_DISPATCH(AddRowDoubles)(row, matrix, inner, width, out);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE

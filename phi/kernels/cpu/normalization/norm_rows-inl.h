// SPDX-License-Identifier: Apache-2.0
// Rows of normalizations (norm_simd.h), for one instruction set.
#include "phi/kernels/cpu/simd/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORM_ROWS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORM_ROWS_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORM_ROWS_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_NORMALIZATION_NORM_ROWS_INL_H_
#endif

#include "phi/kernels/cpu/normalization/norm_simd.h"
#include "phi/kernels/cpu/simd/vector_tails-inl.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

// Rows are summed in runs, whose sums are added up: rounding errors stay small,
// and a run's rows in the first cache.
constexpr int64_t kRunRows = 64;

// Goes through the rows by runs and vectors of columns: add(position, count,
// column, sums) adds an element of each of `count` columns, or of a vector's
// lanes, to one of four sums that take turns; add_up(column, sums...) takes
// them.
template <typename T, class Sums, class Add, class AddUp>
HWY_INLINE void SumRows(int64_t rows, int64_t width, const Sums& zero,
                        const Add& add, const AddUp& add_up) {
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  for (int64_t run = 0; run < rows; run += kRunRows) {
    const int64_t end = std::min(rows, run + kRunRows);
    for (int64_t c = 0; c < width; c += kLanes) {
      Sums s0 = zero, s1 = zero, s2 = zero, s3 = zero;
      int64_t r = run;
      for (; r + 4 <= end; r += 4) {
        add(r * width + c, width - c, c, s0);
        add((r + 1) * width + c, width - c, c, s1);
        add((r + 2) * width + c, width - c, c, s2);
        add((r + 3) * width + c, width - c, c, s3);
      }
      for (; r < end; ++r) add(r * width + c, width - c, c, s0);
      add_up(c, s0, s1, s2, s3);
    }
  }
}

template <typename T>
HWY_INLINE void AddTo(T* sums, int64_t count, hn::Vec<VectorTag<T>> v) {
  StoreSome(hn::Add(LoadSome(sums, count, T{0}), v), count, sums);
}

template <typename T>
void AddRowsOf(const T* x, int64_t rows, int64_t width, T* sums) {
  using V = hn::Vec<VectorTag<T>>;
  SumRows<T>(
      rows, width, hn::Zero(VectorTag<T>()),
      [x](int64_t p, int64_t count, int64_t, V& s)
          HWY_ATTR { s = hn::Add(s, LoadSome(x + p, count, T{0})); },
      [=](int64_t c, V s0, V s1, V s2, V s3) HWY_ATTR {
        AddTo<T>(sums + c, width - c,
                 hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
      });
}

template <typename T>
void AddRowSquaresOf(const T* x, int64_t rows, int64_t width, const T* means,
                     T* sums) {
  using V = hn::Vec<VectorTag<T>>;
  SumRows<T>(
      rows, width, hn::Zero(VectorTag<T>()),
      [=](int64_t p, int64_t count, int64_t c, V& s) HWY_ATTR {
        const V v = hn::Sub(LoadSome(x + p, count, T{0}),
                            LoadSome(means + c, count, T{0}));
        s = hn::MulAdd(v, v, s);
      },
      [=](int64_t c, V s0, V s1, V s2, V s3) HWY_ATTR {
        AddTo<T>(sums + c, width - c,
                 hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
      });
}

template <typename T>
void AffineRowsOf(const T* x, int64_t rows, int64_t width, const T* factors,
                  const T* shifts, T* out) {
  const VectorTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  if (width == kLanes) {  // A block of channels: its parameters stay.
    const auto f = hn::LoadU(d, factors), s = hn::LoadU(d, shifts);
    for (int64_t p = 0; p < rows * width; p += kLanes) {
      hn::StoreU(hn::MulAdd(hn::LoadU(d, x + p), f, s), d, out + p);
    }
    return;
  }
  for (int64_t r = 0; r < rows; ++r, x += width, out += width) {
    for (int64_t c = 0; c < width; c += kLanes) {
      const int64_t rest = width - c;
      const auto v = hn::MulAdd(LoadSome(x + c, rest, T{0}),
                                LoadSome(factors + c, rest, T{0}),
                                LoadSome(shifts + c, rest, T{0}));
      StoreSome(v, rest, out + c);
    }
  }
}

template <typename T>
void AddRowGradsOf(const T* x, const T* dy, int64_t rows, int64_t width,
                   const T* means, T* g, T* products) {
  using V = hn::Vec<VectorTag<T>>;
  const auto zero = hn::Zero(VectorTag<T>());
  SumRows<T>(
      rows, width, TwoSums<T>{zero, zero},
      [=](int64_t p, int64_t count, int64_t c, TwoSums<T>& s) HWY_ATTR {
        const V grad = LoadSome(dy + p, count, T{0});
        const V v = hn::Sub(LoadSome(x + p, count, T{0}),
                            LoadSome(means + c, count, T{0}));
        s.a = hn::Add(s.a, grad);
        s.b = hn::MulAdd(grad, v, s.b);
      },
      [=](int64_t c, const TwoSums<T>& s0, const TwoSums<T>& s1,
          const TwoSums<T>& s2, const TwoSums<T>& s3) HWY_ATTR {
        AddTo<T>(g + c, width - c,
                 hn::Add(hn::Add(s0.a, s1.a), hn::Add(s2.a, s3.a)));
        AddTo<T>(products + c, width - c,
                 hn::Add(hn::Add(s0.b, s1.b), hn::Add(s2.b, s3.b)));
      });
}

template <typename T>
void GradRowsOf(const T* x, const T* dy, int64_t rows, int64_t width,
                NormColumns<T> columns, T* dx) {
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  for (int64_t r = 0; r < rows; ++r, x += width, dy += width, dx += width) {
    for (int64_t c = 0; c < width; c += kLanes) {
      const int64_t rest = width - c;
      const auto v = hn::Sub(LoadSome(x + c, rest, T{0}),
                             LoadSome(columns.means + c, rest, T{0}));
      const auto g =
          hn::NegMulAdd(v, LoadSome(columns.slopes + c, rest, T{0}),
                        hn::Sub(LoadSome(dy + c, rest, T{0}),
                                LoadSome(columns.levels + c, rest, T{0})));
      StoreSome(hn::Mul(LoadSome(columns.factors + c, rest, T{0}), g), rest,
                dx + c);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target

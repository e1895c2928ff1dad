// SPDX-License-Identifier: Apache-2.0
// Softmax along lines, for one instruction set. Lines of adjacent elements are
// reduced a vector at a time; others go side by side, a lane each.
#include "phi/kernels/cpu/simd/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_SOFTMAX_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_SOFTMAX_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_SOFTMAX_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_SOFTMAX_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <limits>

#include "phi/kernels/cpu/softmax/softmax.h"
#include "phi/kernels/functors/elementary.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using kernels::HWY_NAMESPACE::Exponential;
using kernels::HWY_NAMESPACE::FormatFor;
using kernels::HWY_NAMESPACE::Logarithm;
using kernels::HWY_NAMESPACE::PowerOfTwo;

// `count` (a whole vector or fewer) elements; `fill` in the other lanes.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadPart(D d, const T* from, int64_t count, T fill) {
  constexpr int64_t kLanes = hn::MaxLanes(D());
  if (count >= kLanes) return hn::LoadU(d, from);
  T part[kLanes];
  std::fill_n(part, kLanes, fill);
  std::memcpy(part, from, count * sizeof(T));
  return hn::LoadU(d, part);
}

template <class D, class V, typename T>
HWY_INLINE void StorePart(D d, V v, int64_t count, T* to) {
  constexpr int64_t kLanes = hn::MaxLanes(D());
  if (count >= kLanes) {
    hn::StoreU(v, d, to);
    return;
  }
  T part[kLanes];
  hn::StoreU(v, d, part);
  std::memcpy(to, part, count * sizeof(T));
}

// Walks one line of adjacent elements (kRow), or a vector of lines side by
// side, `inner` apart. Load(p) is a vector of row-line elements from p on, or
// element p of each line.
template <typename T, bool kRow>
struct LineWalk {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());
  static constexpr int64_t kStep = kRow ? kLanes : 1;
  int64_t extent;
  int64_t inner;
  int64_t lanes;  // Lines side by side; not looked at where kRow.

  HWY_INLINE int64_t Count(int64_t p) const {
    return kRow ? extent - p : lanes;
  }
  HWY_INLINE V Load(const T* line, int64_t p, T fill) const {
    return LoadPart(D(), line + p * (kRow ? 1 : inner), Count(p), fill);
  }
  HWY_INLINE void Store(V v, int64_t p, T* line) const {
    StorePart(D(), v, Count(p), line + p * (kRow ? 1 : inner));
  }
  // From lanes to the line's sum, in every lane.
  HWY_INLINE V Total(V sum) const {
    return kRow ? hn::SumOfLanes(D(), sum) : sum;
  }
};

// exp(x) for x <= 0, and 0 where that is below the smallest normal number: half
// the instructions of Exponential().
template <class D, class V>
HWY_INLINE V ShiftedExponential(D d, V x) {
  using F = FormatFor<D>;
  using T = hn::TFromD<D>;
  constexpr T kLowest = T(1 - F::kBias) * T(0.69314718055994530942);
  const V n = hn::Round(hn::Mul(x, hn::Set(d, T(1.4426950408889634074))));
  const V high = hn::NegMulAdd(n, hn::Set(d, F::kLn2High), x);
  const V r = hn::NegMulAdd(n, hn::Set(d, F::kLn2Low), high);
  const V one = hn::Set(d, T(1));
  const V exp = hn::MulAdd(hn::MulAdd(F::ExpSeries(d, r), r, one), r, one);
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, kLowest)),
                            hn::Mul(exp, PowerOfTwo(d, n)));
}

// Passes over lines of adjacent elements: whole vectors, the last of which
// overlaps the one before; a line of less than a vector is padded. So that
// `out` may be `x`, each pass reads the last vector before it writes.
template <typename T>
struct RowWalk {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());
  static constexpr T kLow = -std::numeric_limits<T>::infinity();
  int64_t extent;
  int64_t whole;  // Where the last vector's own elements begin.
  int64_t last;   // Where it begins itself.

  explicit RowWalk(int64_t extent)
      : extent(extent),
        whole((std::max<int64_t>(extent, 1) - 1) / kLanes * kLanes),
        last(std::max<int64_t>(0, extent - kLanes)) {}

  HWY_INLINE V Last(const T* line) const {
    return LoadPart(D(), line + last, extent, kLow);
  }
  HWY_INLINE void StoreLast(V v, T* line) const {
    StorePart(D(), v, extent, line + last);
  }
  // `v`, of the last vector, with zeros for elements that are others' too.
  HWY_INLINE V Own(V v) const {
    const auto others = hn::Set(D(), static_cast<T>(whole - last));
    return hn::IfThenZeroElse(hn::Lt(hn::Iota(D(), T{0}), others), v);
  }

  HWY_INLINE V Largest(const T* x) const {
    const D d;
    V m0 = Last(x), m1 = m0;
    int64_t p = 0;
    for (; p + kLanes < whole; p += 2 * kLanes) {
      m0 = hn::Max(m0, hn::LoadU(d, x + p));
      m1 = hn::Max(m1, hn::LoadU(d, x + p + kLanes));
    }
    if (p < whole) m1 = hn::Max(m1, hn::LoadU(d, x + p));
    return hn::MaxOfLanes(d, hn::Max(m0, m1));
  }

  // The sum of exp(x - largest); writes them, unless the logarithm is wanted.
  HWY_INLINE V Exponentials(const T* x, V largest, SoftmaxScale scale,
                            T* out) const {
    const D d;
    const V tail = ShiftedExponential(d, hn::Sub(Last(x), largest));
    V s0 = Own(tail), s1 = hn::Zero(d);
    const auto add = [&](int64_t p, V& sum) HWY_ATTR {
      const V exp =
          ShiftedExponential(d, hn::Sub(hn::LoadU(d, x + p), largest));
      sum = hn::Add(sum, exp);
      if (scale == SoftmaxScale::kLinear) hn::StoreU(exp, d, out + p);
    };
    int64_t p = 0;
    for (; p + kLanes < whole; p += 2 * kLanes) {
      add(p, s0);
      add(p + kLanes, s1);
    }
    if (p < whole) add(p, s1);
    if (scale == SoftmaxScale::kLinear) StoreLast(tail, out);
    return hn::SumOfLanes(d, hn::Add(s0, s1));
  }

  // out = map(from), element by element.
  template <class Map>
  HWY_INLINE void Apply(const T* from, const Map& map, T* out) const {
    const D d;
    const V tail = map(Last(from));
    for (int64_t p = 0; p < whole; p += kLanes) {
      hn::StoreU(map(hn::LoadU(d, from + p)), d, out + p);
    }
    StoreLast(tail, out);
  }
};

// Some lines, pass by pass: those of one pass do not wait for each other.
template <typename T>
void SoftmaxRows(int64_t extent, int64_t rows, SoftmaxScale scale, const T* x,
                 T* out) {
  constexpr int64_t kMax = 4;
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const RowWalk<T> walk(extent);
  V largest[kMax], sum[kMax];
  for (int64_t r = 0; r < rows; ++r) largest[r] = walk.Largest(x + r * extent);
  for (int64_t r = 0; r < rows; ++r) {
    sum[r] =
        walk.Exponentials(x + r * extent, largest[r], scale, out + r * extent);
  }
  for (int64_t r = 0; r < rows; ++r) {
    T* const to = out + r * extent;
    if (scale == SoftmaxScale::kLinear) {
      walk.Apply(
          to, [&](V v) HWY_ATTR { return hn::Div(v, sum[r]); }, to);
      continue;
    }
    const V log_sum = Logarithm(d, sum[r]);
    walk.Apply(
        x + r * extent,
        [&](V v) HWY_ATTR { return hn::Sub(hn::Sub(v, largest[r]), log_sum); },
        to);
  }
}

// A vector of lines side by side.
template <typename T>
HWY_INLINE void SoftmaxColumns(const LineWalk<T, false>& walk,
                               SoftmaxScale scale, const T* x, T* out) {
  const hn::ScalableTag<T> d;
  constexpr T kLow = -std::numeric_limits<T>::infinity();
  auto largest = hn::Set(d, kLow);
  for (int64_t p = 0; p < walk.extent; ++p) {
    largest = hn::Max(largest, walk.Load(x, p, kLow));
  }
  auto sum = hn::Zero(d);
  for (int64_t p = 0; p < walk.extent; ++p) {
    const auto shifted = hn::Sub(walk.Load(x, p, kLow), largest);
    const auto exp = ShiftedExponential(d, shifted);
    sum = hn::Add(sum, exp);
    walk.Store(scale == SoftmaxScale::kLogarithmic ? shifted : exp, p, out);
  }
  const auto log_sum =
      scale == SoftmaxScale::kLogarithmic ? Logarithm(d, sum) : sum;
  for (int64_t p = 0; p < walk.extent; ++p) {
    const auto v = walk.Load(out, p, T{1});
    walk.Store(scale == SoftmaxScale::kLogarithmic ? hn::Sub(v, log_sum)
                                                   : hn::Div(v, sum),
               p, out);
  }
}

template <typename T, bool kRow>
HWY_INLINE void SoftmaxGradLine(const LineWalk<T, kRow>& walk,
                                SoftmaxScale scale, const T* out,
                                const T* out_grad, T* x_grad) {
  using Walk = LineWalk<T, kRow>;
  const typename Walk::D d;
  auto sum = hn::Zero(d);
  for (int64_t p = 0; p < walk.extent; p += Walk::kStep) {
    const auto grad = walk.Load(out_grad, p, T{0});
    sum = scale == SoftmaxScale::kLogarithmic
              ? hn::Add(sum, grad)
              : hn::MulAdd(grad, walk.Load(out, p, T{0}), sum);
  }
  sum = walk.Total(sum);
  // A line that the result does not read, as one of an ignored label, has no
  // gradient, also if it is NaN.
  const auto unread = hn::Eq(sum, hn::Zero(d));
  for (int64_t p = 0; p < walk.extent; p += Walk::kStep) {
    const auto y = walk.Load(out, p, T{0});
    const auto grad = walk.Load(out_grad, p, T{0});
    walk.Store(scale == SoftmaxScale::kLogarithmic
                   ? hn::IfThenElse(unread, grad,
                                    hn::NegMulAdd(Exponential(d, y), sum, grad))
                   : hn::Mul(y, hn::Sub(grad, sum)),
               p, x_grad);
  }
}

// Calls row(offset) for each line of adjacent elements, or columns(offset,
// lanes) for each vector of lines: those number [begin, end).
template <typename T, class Row, class Columns>
HWY_INLINE void ForEachLine(const AxisSlices& lines, int64_t begin, int64_t end,
                            Row row, Columns columns) {
  constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  for (int64_t line = begin; line < end;) {
    const int64_t o = line / lines.inner;
    const int64_t i = line % lines.inner;
    const int64_t offset = o * lines.extent * lines.inner + i;
    if (lines.inner == 1) {
      row(offset);
      ++line;
    } else {
      const int64_t lanes = std::min({kLanes, lines.inner - i, end - line});
      columns(offset, lanes);
      line += lanes;
    }
  }
}

template <typename T>
void SoftmaxRange(const AxisSlices& lines, SoftmaxScale scale, const T* x,
                  T* out, int64_t begin, int64_t end) {
  if (lines.inner == 1) {
    // As long as they stay in the first cache together.
    const int64_t at_once = lines.extent <= 1024 ? 4 : 1;
    for (int64_t line = begin; line < end; line += at_once) {
      const int64_t at = line * lines.extent;
      SoftmaxRows(lines.extent, std::min(at_once, end - line), scale, x + at,
                  out + at);
    }
    return;
  }
  ForEachLine<T>(
      lines, begin, end, [](int64_t) {},
      [&](int64_t at, int64_t lanes) HWY_ATTR {
        const LineWalk<T, false> walk{lines.extent, lines.inner, lanes};
        SoftmaxColumns(walk, scale, x + at, out + at);
      });
}

template <typename T>
void SoftmaxGradRange(const AxisSlices& lines, SoftmaxScale scale, const T* out,
                      const T* out_grad, T* x_grad, int64_t begin,
                      int64_t end) {
  ForEachLine<T>(
      lines, begin, end,
      [&](int64_t at) HWY_ATTR {
        const LineWalk<T, true> walk{lines.extent, 1, 1};
        SoftmaxGradLine(walk, scale, out + at, out_grad + at, x_grad + at);
      },
      [&](int64_t at, int64_t lanes) HWY_ATTR {
        const LineWalk<T, false> walk{lines.extent, lines.inner, lanes};
        SoftmaxGradLine(walk, scale, out + at, out_grad + at, x_grad + at);
      });
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target

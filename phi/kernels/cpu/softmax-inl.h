// SPDX-License-Identifier: Apache-2.0
// Softmax along lines, for one instruction set. Lines of adjacent elements are
// reduced a vector at a time; others go side by side, a lane each.
#include "phi/kernels/cpu/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_SOFTMAX_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <limits>

#include "phi/kernels/functors/elementary.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
  // From lanes to the line's sum or largest, in every lane.
  HWY_INLINE V Total(V sum) const {
    return kRow ? hn::SumOfLanes(D(), sum) : sum;
  }
  HWY_INLINE V Largest(V largest) const {
    return kRow ? hn::MaxOfLanes(D(), largest) : largest;
  }
};

template <typename T, bool kRow>
HWY_INLINE void SoftmaxLine(const LineWalk<T, kRow>& walk, bool logarithm,
                            const T* x, T* out) {
  using Walk = LineWalk<T, kRow>;
  const typename Walk::D d;
  constexpr T kLow = -std::numeric_limits<T>::infinity();
  auto largest = hn::Set(d, kLow);
  for (int64_t p = 0; p < walk.extent; p += Walk::kStep) {
    largest = hn::Max(largest, walk.Load(x, p, kLow));
  }
  largest = walk.Largest(largest);
  auto sum = hn::Zero(d);
  for (int64_t p = 0; p < walk.extent; p += Walk::kStep) {
    const auto shifted = hn::Sub(walk.Load(x, p, kLow), largest);
    const auto exp = Exponential(d, shifted);
    sum = hn::Add(sum, exp);
    walk.Store(logarithm ? shifted : exp, p, out);
  }
  sum = walk.Total(sum);
  const auto log_sum = logarithm ? Logarithm(d, sum) : sum;
  for (int64_t p = 0; p < walk.extent; p += Walk::kStep) {
    const auto v = walk.Load(out, p, T{1});
    walk.Store(logarithm ? hn::Sub(v, log_sum) : hn::Div(v, sum), p, out);
  }
}

template <typename T, bool kRow>
HWY_INLINE void SoftmaxGradLine(const LineWalk<T, kRow>& walk, bool logarithm,
                                const T* out, const T* out_grad, T* x_grad) {
  using Walk = LineWalk<T, kRow>;
  const typename Walk::D d;
  auto sum = hn::Zero(d);
  for (int64_t p = 0; p < walk.extent; p += Walk::kStep) {
    const auto grad = walk.Load(out_grad, p, T{0});
    sum = logarithm ? hn::Add(sum, grad)
                    : hn::MulAdd(grad, walk.Load(out, p, T{0}), sum);
  }
  sum = walk.Total(sum);
  for (int64_t p = 0; p < walk.extent; p += Walk::kStep) {
    const auto y = walk.Load(out, p, T{0});
    const auto grad = walk.Load(out_grad, p, T{0});
    walk.Store(logarithm ? hn::NegMulAdd(Exponential(d, y), sum, grad)
                         : hn::Mul(y, hn::Sub(grad, sum)),
               p, x_grad);
  }
}

// Calls row(offset) for each line of adjacent elements, or columns(offset,
// lanes) for each vector of lines: those number [begin, end).
template <typename T, class Row, class Columns>
HWY_INLINE void ForEachLine(const LineShape& lines, int64_t begin, int64_t end,
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
void SoftmaxRange(const LineShape& lines, bool logarithm, const T* x, T* out,
                  int64_t begin, int64_t end) {
  ForEachLine<T>(
      lines, begin, end,
      [&](int64_t at) HWY_ATTR {
        const LineWalk<T, true> walk{lines.extent, 1, 1};
        SoftmaxLine(walk, logarithm, x + at, out + at);
      },
      [&](int64_t at, int64_t lanes) HWY_ATTR {
        const LineWalk<T, false> walk{lines.extent, lines.inner, lanes};
        SoftmaxLine(walk, logarithm, x + at, out + at);
      });
}

template <typename T>
void SoftmaxGradRange(const LineShape& lines, bool logarithm, const T* out,
                      const T* out_grad, T* x_grad, int64_t begin,
                      int64_t end) {
  ForEachLine<T>(
      lines, begin, end,
      [&](int64_t at) HWY_ATTR {
        const LineWalk<T, true> walk{lines.extent, 1, 1};
        SoftmaxGradLine(walk, logarithm, out + at, out_grad + at, x_grad + at);
      },
      [&](int64_t at, int64_t lanes) HWY_ATTR {
        const LineWalk<T, false> walk{lines.extent, lines.inner, lanes};
        SoftmaxGradLine(walk, logarithm, out + at, out_grad + at, x_grad + at);
      });
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels
HWY_AFTER_NAMESPACE();

#endif  // per target

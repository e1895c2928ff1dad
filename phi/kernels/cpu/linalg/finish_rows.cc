// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/linalg/finish_rows.h"

#include "framework/types/scalar.h"

// Compiled once for each instruction set: simd_targets.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "phi/kernels/cpu/linalg/finish_rows.cc"
#include "phi/kernels/cpu/simd/simd_targets.h"
// After it: the headers of each instruction set.
#include "phi/kernels/cpu/simd/vector_tails-inl.h"
#include "phi/kernels/functors/activation.h"
#include "phi/kernels/functors/gelu.h"
#include "phi/kernels/functors/magnitude.h"
#include "phi/kernels/functors/sigmoid.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

namespace functors = kernels::HWY_NAMESPACE;

struct Unchanged {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return x;
  }
};

// x sigmoid(alpha x).
template <typename T>
struct SwishOf {
  T alpha;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::Mul(x, functors::Sigmoid<T>()(d, hn::Mul(x, hn::Set(d, alpha))));
  }
};

template <typename T, class Activate>
HWY_INLINE void Finish(const FinishedRows<T>& rows, const Activate& activate) {
  const VectorTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(VectorTag<T>());
  for (int64_t i = 0; i < rows.rows; ++i) {
    T* const sums = rows.sums + i * rows.stride;
    const T* const added =
        rows.added == nullptr ? nullptr : rows.added + i * rows.stride;
    for (int64_t j = 0; j < rows.columns; j += kLanes) {
      const int64_t rest = rows.columns - j;
      auto x = LoadSome(sums + j, rest, T{0});
      if (rows.bias != nullptr) {
        x = hn::Add(x, LoadSome(rows.bias + j, rest, T{0}));
      }
      if (added != nullptr) x = hn::Add(x, LoadSome(added + j, rest, T{0}));
      StoreSome<T>(activate(d, x), rest, sums + j);
    }
  }
}

template <typename T>
void FinishOf(const FinishedRows<T>& rows) {
  const double alpha = rows.step.alpha, beta = rows.step.beta;
  switch (rows.step.kind) {
#define SY_POST_OP(enumerator, name, numbers, scalar, reference, vector, ...) \
  case PostOpKind::k##enumerator:                                             \
    return Finish(rows, vector);
#include "framework/types/post_ops.def"
#undef SY_POST_OP
  }
}

void FinishFloat(const FinishedRows<float>& rows) { FinishOf(rows); }
void FinishDouble(const FinishedRows<double>& rows) { FinishOf(rows); }

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace switchyard::phi::kernels::cpu {
namespace {
HWY_EXPORT(FinishFloat);
HWY_EXPORT(FinishDouble);
}  // namespace

void FinishRows(const FinishedRows<float>& rows) {
  HWY_DYNAMIC_DISPATCH(FinishFloat)(rows);
}
void FinishRows(const FinishedRows<double>& rows) {
  HWY_DYNAMIC_DISPATCH(FinishDouble)(rows);
}

}  // namespace switchyard::phi::kernels::cpu
#endif  // HWY_ONCE

// SPDX-License-Identifier: Apache-2.0
// The vector loop of an elementwise kernel, instantiated with a functor
// (phi/kernels/functors), and the macros that a kernel's .cc consists of; most
// of them are generated. What leads up to the loop is in elementwise.h.
//
// Every element goes through the same vector instructions, whatever its
// position: remainders are padded to a whole vector. So an element's bits
// depend neither on alignment nor on strides, chunks or threads.
#include "phi/core/register_kernel.h"
#include "phi/kernels/cpu/elementwise/elementwise.h"
#include "phi/kernels/cpu/simd/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_ELEMENTWISE_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_ELEMENTWISE_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_ELEMENTWISE_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_ELEMENTWISE_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <optional>

#include "phi/kernels/functors/value.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Elements that are gathered at a time where an input is not contiguous.
constexpr int64_t kGatherBlock = 512;
// A row that is at least this long is walked in place.
constexpr int64_t kLongRow = 64;

// The lanes of a mask as bytes, 0 or 1.
template <class D, class Mask>
HWY_INLINE void StoreMask(D d, Mask mask, uint8_t* out) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    const hn::RebindToSigned<D> whole;
    const hn::Rebind<uint8_t, D> bytes;
    const auto ones = hn::And(hn::BitCast(whole, hn::VecFromMask(d, mask)),
                              hn::Set(whole, 1));
    hn::StoreU(hn::DemoteTo(bytes, ones), bytes, out);
  } else {
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, mask, bits);
    for (size_t i = 0; i < hn::MaxLanes(d); ++i) out[i] = (bits[0] >> i) & 1;
  }
}

// One whole vector at `in` (where steps[i] is 0: the same vector again).
template <class Functor, typename T, class Out, int kInputs>
struct Block {
  const Functor& functor;
  const T* in[kInputs];
  int64_t steps[kInputs];  // 1, or 0 for one vector of the same value.

  template <class D, size_t... I>
  HWY_INLINE auto Value(D d, int64_t i, std::index_sequence<I...>) const {
    return functor(d, hn::LoadU(d, in[I] + i * steps[I])...);
  }

  template <class D>
  HWY_INLINE void Vector(D d, int64_t i, Out* out) const {
    const auto value = Value(d, i, std::make_index_sequence<kInputs>());
    if constexpr (Functor::kMask) {
      StoreMask(d, value, out + i);
    } else {
      hn::StoreU(value, d, out + i);
    }
  }

  // The last `rest` (fewer than a vector) elements, from i.
  template <class D>
  HWY_INLINE void Rest(D d, int64_t i, int64_t rest, Out* out) const {
    constexpr size_t kLanes = hn::MaxLanes(d);
    T padded[kInputs][kLanes] = {};
    Block tail{functor, {}, {}};
    for (int k = 0; k < kInputs; ++k) {
      const int64_t count = steps[k] == 0 ? kLanes : rest;
      const T* const from = in[k] + i * steps[k];
      if (count == 1) {  // The usual rest of a small tensor.
        padded[k][0] = *from;
      } else {
        std::memcpy(padded[k], from, count * sizeof(T));
      }
      tail.in[k] = padded[k];
    }
    Out result[kLanes];
    tail.Vector(d, 0, result);
    if (rest == 1) {
      out[i] = result[0];
    } else {
      std::memcpy(out + i, result, rest * sizeof(Out));
    }
  }

  HWY_INLINE void Run(int64_t count, Out* out) const {
    const hn::ScalableTag<T> d;
    const int64_t lanes = hn::Lanes(d);
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) Vector(d, i, out);
    if (i < count) Rest(d, i, count - i, out);
  }
};

// True if rows of the two inner axes are long, and each input walks evenly
// through one, repeats its last axis, or stays at one element: a blocked layout
// makes that of a value for each channel, and channels that come last do.
template <int kInputs>
bool RepeatsRows(const ElementwiseCall& call) {
  const int last = call.rank - 1;
  if (last < 1 || call.extents[last] > kGatherBlock ||
      call.extents[last] * call.extents[last - 1] < kLongRow) {
    return false;
  }
  for (int k = 0; k < kInputs; ++k) {
    const int64_t inner = call.strides[k][last];
    const int64_t outer = call.strides[k][last - 1];
    const bool even = inner == 1 && outer == call.extents[last];
    if (!even && (inner > 1 || inner < 0 || outer != 0)) return false;
  }
  return true;
}

// [begin, end) of a call of which RepeatsRows() is true.
template <class Functor, typename T, class Out, int kInputs>
void RunRepeated(const ElementwiseCall& call, const Functor& functor,
                 int64_t begin, int64_t end) {
  const int last = call.rank - 1;
  const int64_t period = call.extents[last];
  const int64_t most = kGatherBlock / period * period;
  ElementwiseCall rows = call;
  rows.rank = last;
  rows.extents[last - 1] *= period;
  bool even[kInputs];
  for (int k = 0; k < kInputs; ++k) {
    even[k] = call.strides[k][last - 1] != 0;
    rows.strides[k][last - 1] = even[k] ? 1 : 0;
  }
  T repeated[kInputs][kGatherBlock];
  const T* filled[kInputs] = {};
  int64_t filled_phase = -1;
  Block<Functor, T, Out, kInputs> block{functor, {}, {}};
  ElementwiseCursor<kInputs> cursor(rows, begin);
  while (begin < end) {
    const int64_t phase = (rows.extents[last - 1] - cursor.left()) % period;
    const int64_t count = std::min({cursor.left(), end - begin, most});
    for (int k = 0; k < kInputs; ++k) {
      const T* in = static_cast<const T*>(call.inputs[k]) + cursor.offset(k);
      block.steps[k] = 1;
      block.in[k] = even[k] ? in : repeated[k];
      if (even[k] || (filled[k] == in && filled_phase == phase)) continue;
      filled[k] = in;
      const int64_t stride = call.strides[k][last];
      for (int64_t i = 0, j = phase; i < most; ++i) {
        repeated[k][i] = in[j * stride];
        if (++j == period) j = 0;
      }
    }
    filled_phase = phase;
    block.Run(count, static_cast<Out*>(call.output) + begin);
    cursor.Advance(count);
    begin += count;
  }
}

// [begin, end) of the output, for a functor that takes one number at a time.
// Not inlined: the dispatch over dtypes would save its registers for all.
template <typename T, class Functor, size_t... I>
HWY_NOINLINE void RunOneByOne(const ElementwiseCall& call,
                              const Functor& functor, int64_t begin,
                              int64_t end, std::index_sequence<I...>) {
  const kernels::HWY_NAMESPACE::OneNumber one;
  using Out = decltype(functor(one, T(static_cast<int>(I))...));
  const int64_t steps[] = {call.strides[I][call.rank - 1]...};
  ElementwiseCursor<sizeof...(I)> cursor(call, begin);
  Out* out = static_cast<Out*>(call.output) + begin;
  for (int64_t i = begin; i < end;) {
    const int64_t run = std::min(cursor.left(), end - i);
    const T* const in[] = {static_cast<const T*>(call.inputs[I]) +
                           cursor.offset(static_cast<int>(I))...};
    for (int64_t j = 0; j < run; ++j) {
      out[j] = functor(one, in[I][j * steps[I]]...);
    }
    out += run;
    i += run;
    cursor.Advance(run);
  }
}

// [begin, end) of the output, for a functor over vectors of elements of type T.
template <typename T, class Functor>
HWY_INLINE void RunVectors(const ElementwiseCall& call, const Functor& functor,
                           int64_t begin, int64_t end) {
  using Out = std::conditional_t<Functor::kMask, uint8_t, T>;
  constexpr int kInputs = Functor::kInputs;
  const int last = call.rank - 1;
  T gathered[kInputs][kGatherBlock];
  Block<Functor, T, Out, kInputs> block{functor, {}, {}};
  bool even = last == 0;  // One row that every input has as it is.
  bool in_place = call.extents[last] >= kLongRow;
  bool broadcast[kInputs] = {};
  for (int k = 0; k < kInputs; ++k) {
    broadcast[k] = call.strides[k][last] == 0;
    even = even && call.strides[k][last] == 1;
    in_place = in_place && (broadcast[k] || call.strides[k][last] == 1);
  }
  if (!even && !in_place && RepeatsRows<kInputs>(call)) {
    return RunRepeated<Functor, T, Out, kInputs>(call, functor, begin, end);
  }
  std::optional<ElementwiseCursor<kInputs>> cursor;
  if (!even) cursor.emplace(call, begin);
  while (begin < end) {
    int64_t count = end - begin;
    if (even) {
      for (int k = 0; k < kInputs; ++k) {
        block.in[k] = static_cast<const T*>(call.inputs[k]) + begin;
        block.steps[k] = 1;
      }
    } else if (in_place) {
      count = std::min(cursor->left(), count);
      for (int k = 0; k < kInputs; ++k) {
        const T* in = static_cast<const T*>(call.inputs[k]) + cursor->offset(k);
        block.in[k] = broadcast[k] ? gathered[k] : in;
        block.steps[k] = broadcast[k] ? 0 : 1;
        if (broadcast[k]) {
          std::fill_n(gathered[k], hn::MaxLanes(hn::ScalableTag<T>()), *in);
        }
      }
      cursor->Advance(count);
    } else {
      count = std::min(kGatherBlock, end - begin);
      for (int64_t i = 0; i < count;) {
        const int64_t run = std::min(cursor->left(), count - i);
        for (int k = 0; k < kInputs; ++k) {
          const T* in =
              static_cast<const T*>(call.inputs[k]) + cursor->offset(k);
          const int64_t stride = call.strides[k][last];
          for (int64_t j = 0; j < run; ++j) gathered[k][i + j] = in[j * stride];
        }
        cursor->Advance(run);
        i += run;
      }
      for (int k = 0; k < kInputs; ++k) {
        block.in[k] = gathered[k];
        block.steps[k] = 1;
      }
    }
    block.Run(count, static_cast<Out*>(call.output) + begin);
    begin += count;
  }
}

// [begin, end) of the output, for a functor over elements of type T.
template <template <typename> class FunctorOf, typename Attributes, typename T>
void RunElementwise(const ElementwiseCall& call, int64_t begin, int64_t end) {
  using Functor = FunctorOf<T>;
  const Functor functor = MakeFunctor<Functor>(call.attrs, Attributes());
  if constexpr (kIsComplex<T> || Functor::kOneByOne) {
    RunOneByOne<T>(call, functor, begin, end,
                   std::make_index_sequence<Functor::kInputs>());
  } else {
    RunVectors<T>(call, functor, begin, end);
  }
}

// RunElementwise for the one of T... that the call is of.
template <template <typename> class FunctorOf, typename Attributes,
          typename... T>
void RunElementwiseOf(const ElementwiseCall& call, int64_t begin, int64_t end) {
  const bool ran =
      ((call.dtype == DataTypeOf<T>::value &&
        (RunElementwise<FunctorOf, Attributes, T>(call, begin, end), true)) ||
       ...);
  (void)ran;
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels::cpu
HWY_AFTER_NAMESPACE();

#endif  // per target

// For each instruction set: the loop of kernel `name` over `Functor`, for the
// types that are computed in (ComputeDtype() of the dtypes registered).
#undef SY_ELEMENTWISE_TARGETS
#define SY_ELEMENTWISE_TARGETS(name, Functor, Signature, ...)               \
  HWY_BEFORE_NAMESPACE();                                                   \
  namespace switchyard::phi::kernels::cpu {                                 \
  namespace HWY_NAMESPACE {                                                 \
  template <typename T>                                                     \
  using name##_functor = kernels::HWY_NAMESPACE::Functor<T>;                \
  void name##_elementwise(const ElementwiseCall& call, int64_t begin,       \
                          int64_t end) {                                    \
    RunElementwiseOf<name##_functor, AttributesOf<Signature>, __VA_ARGS__>( \
        call, begin, end);                                                  \
  }                                                                         \
  }                                                                         \
  }                                                                         \
  HWY_AFTER_NAMESPACE();

// Once: the choice among them, as the kernel function `Name`Kernel, and its
// spec: any strides; the output of a functor that makes a mask is bool.
#undef SY_ELEMENTWISE_KERNEL
#define SY_ELEMENTWISE_KERNEL(name, Name)                                    \
  namespace switchyard::phi::kernels::cpu {                                  \
  HWY_EXPORT(name##_elementwise);                                            \
  static void name##_range(const ElementwiseCall& call, int64_t begin,       \
                           int64_t end) {                                    \
    HWY_DYNAMIC_DISPATCH(name##_elementwise)(call, begin, end);              \
  }                                                                          \
  template <typename S>                                                      \
  inline constexpr auto k##Name##Spec =                                      \
      ElementwiseSpec<S>(HWY_NAMESPACE::name##_functor<float>::kMask,        \
                         HWY_NAMESPACE::name##_functor<float>::kOtherDtype); \
  template <typename T>                                                      \
  inline constexpr auto Name##Kernel = &ElementwiseEntry<                    \
      Name##Signature, &name##_range,                                        \
      HWY_NAMESPACE::name##_functor<float>::kMask,                           \
      HWY_NAMESPACE::name##_functor<float>::kNonzero>::template Kernel<T>;   \
  }                                                                          \
  static_assert(true, "a semicolon follows")

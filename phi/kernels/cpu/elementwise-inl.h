// SPDX-License-Identifier: Apache-2.0
// The vector loop of an elementwise kernel, instantiated with a functor
// (phi/kernels/functors), and the macros that a kernel's .cc consists of; most
// of them are generated. What leads up to the loop is in elementwise.h.
//
// Every element goes through the same vector instructions, whatever its
// position: remainders are padded to a whole vector. So an element's bits
// depend neither on alignment nor on strides, chunks or threads.
#include "phi/core/register_kernel.h"
#include "phi/kernels/cpu/elementwise.h"
#include "phi/kernels/cpu/simd_targets.h"

// Read once for each instruction set.
#if defined(SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_INL_H_
#undef SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_INL_H_
#else
#define SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "phi/kernels/functors/value.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Elements that are gathered at a time where an input is not contiguous.
constexpr int64_t kGatherBlock = 512;
// A row that is at least this long is walked in place.
constexpr int64_t kLongRow = 64;

// Bit i of `bits` as byte i, 0 or 1.
HWY_INLINE void StoreBitsAsBools(uint64_t bits, size_t count, uint8_t* out) {
  for (size_t i = 0; i < count; ++i) out[i] = (bits >> i) & 1;
}

template <typename Lane, class D, class V>
HWY_INLINE void StoreResult(D d, V v, Lane* out) {
  hn::StoreU(v, d, out);
}

// One whole vector at `in` (where steps[i] is 0: the same vector again).
template <class Functor, typename Lane, class Out, int kInputs>
struct Block {
  const Functor& functor;
  const Lane* in[kInputs];
  int64_t steps[kInputs];  // 1, or 0 for one vector of the same value.

  template <class D, size_t... I>
  HWY_INLINE auto Value(D d, int64_t i, std::index_sequence<I...>) const {
    return functor(d, hn::LoadU(d, in[I] + i * steps[I])...);
  }

  template <class D>
  HWY_INLINE void Vector(D d, int64_t i, Out* out) const {
    const auto value = Value(d, i, std::make_index_sequence<kInputs>());
    if constexpr (Functor::kMask) {
      constexpr size_t kLanes = hn::MaxLanes(d);
      uint8_t bits[8] = {};
      hn::StoreMaskBits(d, value, bits);
      uint64_t word;
      std::memcpy(&word, bits, sizeof(word));
      StoreBitsAsBools(word, kLanes, out + i);
    } else {
      hn::StoreU(value, d, out + i);
    }
  }

  // The last `rest` (fewer than a vector) elements, from i.
  template <class D>
  HWY_INLINE void Rest(D d, int64_t i, int64_t rest, Out* out) const {
    constexpr size_t kLanes = hn::MaxLanes(d);
    Lane padded[kInputs][kLanes] = {};
    Block tail{functor, {}, {}};
    for (int k = 0; k < kInputs; ++k) {
      const int64_t count = steps[k] == 0 ? kLanes : rest;
      std::memcpy(padded[k], in[k] + i * steps[k], count * sizeof(Lane));
      tail.in[k] = padded[k];
    }
    Out result[kLanes];
    tail.Vector(d, 0, result);
    std::memcpy(out + i, result, rest * sizeof(Out));
  }

  HWY_INLINE void Run(int64_t count, Out* out) const {
    const hn::ScalableTag<Lane> d;
    const int64_t lanes = hn::Lanes(d);
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) Vector(d, i, out);
    if (i < count) Rest(d, i, count - i, out);
  }
};

// A place in the output and where the inputs' elements for it are.
template <int kInputs>
class Cursor {
 public:
  Cursor(const ElementwiseCall& call, int64_t begin) : call_(call) {
    for (int axis = call.rank - 1; axis >= 0; --axis) {
      index_[axis] = begin % call.extents[axis];
      begin /= call.extents[axis];
      for (int k = 0; k < kInputs; ++k) {
        offsets_[k] += index_[axis] * call.strides[k][axis];
      }
    }
  }
  int64_t offset(int k) const { return offsets_[k]; }
  // Elements to the end of the row, this one included.
  int64_t left() const {
    return call_.extents[call_.rank - 1] - index_[call_.rank - 1];
  }
  // At most left() elements on.
  void Advance(int64_t count) {
    int axis = call_.rank - 1;
    index_[axis] += count;
    for (int k = 0; k < kInputs; ++k) {
      offsets_[k] += count * call_.strides[k][axis];
    }
    for (; index_[axis] == call_.extents[axis] && axis > 0; --axis) {
      index_[axis] = 0;
      ++index_[axis - 1];
      for (int k = 0; k < kInputs; ++k) {
        offsets_[k] += call_.strides[k][axis - 1] -
                       call_.extents[axis] * call_.strides[k][axis];
      }
    }
  }

 private:
  const ElementwiseCall& call_;
  int64_t index_[kMaxRank] = {};
  int64_t offsets_[kInputs] = {};
};

// [begin, end) of the output, for a functor over elements of type T.
template <template <typename> class FunctorOf, typename T>
void RunElementwise(const ElementwiseCall& call, int64_t begin, int64_t end) {
  using Lane = LaneOf<T>;
  using Functor = FunctorOf<T>;
  using Out = std::conditional_t<Functor::kMask, uint8_t, Lane>;
  constexpr int kInputs = Functor::kInputs;
  const Functor functor(call.attrs);
  const int last = call.rank - 1;
  Lane gathered[kInputs][kGatherBlock];
  Block<Functor, Lane, Out, kInputs> block{functor, {}, {}};
  Cursor<kInputs> cursor(call, begin);
  while (begin < end) {
    int64_t count = std::min(cursor.left(), end - begin);
    bool in_place = call.extents[last] >= kLongRow;
    bool broadcast[kInputs] = {};
    for (int k = 0; k < kInputs; ++k) {
      broadcast[k] = call.strides[k][last] == 0;
      in_place = in_place && (broadcast[k] || call.strides[k][last] == 1);
    }
    if (in_place) {
      for (int k = 0; k < kInputs; ++k) {
        const Lane* in =
            static_cast<const Lane*>(call.inputs[k]) + cursor.offset(k);
        block.in[k] = broadcast[k] ? gathered[k] : in;
        block.steps[k] = broadcast[k] ? 0 : 1;
        if (broadcast[k]) {
          std::fill_n(gathered[k], hn::MaxLanes(hn::ScalableTag<Lane>()), *in);
        }
      }
      cursor.Advance(count);
    } else {
      count = std::min(kGatherBlock, end - begin);
      for (int64_t i = 0; i < count;) {
        const int64_t run = std::min(cursor.left(), count - i);
        for (int k = 0; k < kInputs; ++k) {
          const Lane* in =
              static_cast<const Lane*>(call.inputs[k]) + cursor.offset(k);
          const int64_t stride = call.strides[k][last];
          for (int64_t j = 0; j < run; ++j) gathered[k][i + j] = in[j * stride];
        }
        cursor.Advance(run);
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

// The dtypes' names as types, for the macros' lists.
using float32 = float;
using float64 = double;
using uint8 = uint8_t;
using int8 = int8_t;
using int16 = int16_t;
using int32 = int32_t;
using int64 = int64_t;

// RunElementwise for the one of T... that the call is of.
template <template <typename> class FunctorOf, typename... T>
void RunElementwiseOf(const ElementwiseCall& call, int64_t begin, int64_t end) {
  const bool ran = ((call.dtype == DataTypeOf<T>::value &&
                     (RunElementwise<FunctorOf, T>(call, begin, end), true)) ||
                    ...);
  (void)ran;
}

}  // namespace HWY_NAMESPACE
}  // namespace switchyard::phi::kernels
HWY_AFTER_NAMESPACE();

#endif  // per target

// For each instruction set: the loop of kernel `name` over `Functor`.
#undef SY_ELEMENTWISE_TARGETS
#define SY_ELEMENTWISE_TARGETS(name, Functor, ...)                    \
  HWY_BEFORE_NAMESPACE();                                             \
  namespace switchyard::phi::kernels {                                \
  namespace HWY_NAMESPACE {                                           \
  template <typename T>                                               \
  using name##_functor = Functor<T>;                                  \
  void name##_elementwise(const ElementwiseCall& call, int64_t begin, \
                          int64_t end) {                              \
    RunElementwiseOf<name##_functor, __VA_ARGS__>(call, begin, end);  \
  }                                                                   \
  }                                                                   \
  }                                                                   \
  HWY_AFTER_NAMESPACE();

// Once: the choice among them and the registration.
#undef SY_ELEMENTWISE_REGISTER
#define SY_ELEMENTWISE_REGISTER(name, Signature, ...)                       \
  namespace switchyard::phi {                                               \
  namespace kernels {                                                       \
  HWY_EXPORT(name##_elementwise);                                           \
  static void name##_range(const ElementwiseCall& call, int64_t begin,      \
                           int64_t end) {                                   \
    HWY_DYNAMIC_DISPATCH(name##_elementwise)(call, begin, end);             \
  }                                                                         \
  using Entry_##name = ElementwiseEntry<Signature, &name##_range>;          \
  }                                                                         \
  static constexpr auto kSpec_##name = kernels::ElementwiseSpec<Signature>( \
      kernels::HWY_NAMESPACE::name##_functor<float>::kMask);                \
  SY_REGISTER_KERNEL(name, cpu, kernels::Entry_##name::Kernel, CpuContext,  \
                     kSpec_##name, __VA_ARGS__);                            \
  }                                                                         \
  static_assert(true, "a semicolon follows")

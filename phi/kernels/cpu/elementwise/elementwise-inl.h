// SPDX-License-Identifier: Apache-2.0
// The vector loop of an elementwise kernel, instantiated with a functor
// (phi/kernels/functors), and the macros that a kernel's .cc consists of; most
// of them are generated. What leads up to the loop is in elementwise.h, and how
// it goes through memory in block_walk.h.
//
// Every element goes through the same vector instructions, whatever its
// position: remainders are padded to a whole vector. So an element's bits
// depend neither on alignment nor on strides, chunks or threads.
#include "phi/core/register_kernel.h"
#include "phi/kernels/cpu/elementwise/block_walk.h"
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

#include "phi/kernels/functors/value.h"

HWY_BEFORE_NAMESPACE();
namespace switchyard::phi::kernels::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
    const hn::RebindToUnsigned<D> whole;
    const hn::Rebind<uint8_t, D> bytes;
    const auto ones = hn::And(hn::BitCast(whole, hn::VecFromMask(d, mask)),
                              hn::Set(whole, 1));
    hn::StoreU(hn::TruncateTo(bytes, ones), bytes, out);
  }
}

// The loop over a functor of vectors of elements of type T.
template <class Functor, typename T>
class VectorLoop {
 public:
  using Out = std::conditional_t<Functor::kMask, uint8_t, T>;

  static void Run(const void* functor, const ElementwiseBlock& block) {
    RunRows(*static_cast<const Functor*>(functor), block, kEachInput);
  }

  // Runs [begin, end) of a call whose inputs are one row like the output, as
  // most are: without the walk of other calls.
  static void RunOneRow(const Functor& functor, const ElementwiseCall& call,
                        int64_t begin, int64_t end) {
    RunOneRow(functor, call, begin, end, kEachInput);
  }

 private:
  static constexpr std::make_index_sequence<Functor::kInputs> kEachInput = {};
  static constexpr hn::ScalableTag<T> kTag = {};
  static constexpr int64_t kLanes = hn::MaxLanes(kTag);
  // The instruction set loads and stores the first lanes of a vector.
  static constexpr bool kMasks = HWY_TARGET <= HWY_AVX2 && sizeof(T) >= 4;

  struct Input {
    const T* at;
    int64_t step;  // 1, or 0 for one vector of the same value.
  };

  template <size_t... I>
  static HWY_INLINE void RunOneRow(const Functor& functor,
                                   const ElementwiseCall& call, int64_t begin,
                                   int64_t end, std::index_sequence<I...>) {
    T buffers[sizeof...(I)][kLanes];
    Input in[] = {{static_cast<const T*>(call.inputs[I]) + begin, 1}...};
    RunRow<I...>(functor, end - begin, in, buffers,
                 static_cast<Out*>(call.output) + begin);
  }

  template <size_t... I>
  static HWY_INLINE void RunRows(const Functor& functor,
                                 const ElementwiseBlock& block,
                                 std::index_sequence<I...>) {
    const int64_t count = block.count;
    const T* rows[] = {static_cast<const T*>(block.inputs[I])...};
    Out* out = static_cast<Out*>(block.output);
    T buffers[sizeof...(I)][kLanes];
    for (int64_t left = block.rows; left > 0; --left) {
      Input in[] = {InputOfRow(rows[I], block.steps[I], buffers[I])...};
      RunRow<I...>(functor, count, in, buffers, out);
      ((rows[I] += block.row_steps[I]), ...);
      out += count;
    }
  }

  static HWY_INLINE Input InputOfRow(const T* row, int64_t step, T* buffer) {
    if (step != 0) return {row, 1};
    hn::StoreU(hn::Set(kTag, *row), kTag, buffer);
    return {buffer, 0};
  }

  // All whole vectors, and then once more for the padded rest: the functor's
  // code is in one place. Not inlined: the dispatch over dtypes would save its
  // registers for all.
  template <size_t... I>
  static HWY_NOINLINE void RunRow(const Functor& functor, int64_t count,
                                  Input* in, T (*buffers)[kLanes], Out* out) {
    Out result[kLanes];
    const int64_t rest = count & (kLanes - 1);
    int64_t end = count - rest;
    Out* const rest_out = out + end;
    for (;;) {
      for (int64_t i = 0; i < end; i += kLanes) {
        const auto value =
            functor(kTag, hn::LoadU(kTag, in[I].at + i * in[I].step)...);
        if constexpr (Functor::kMask) {
          StoreMask(kTag, value, out + i);
        } else {
          hn::StoreU(value, kTag, out + i);
        }
      }
      if (rest == 0) return;
      if (out == result) break;
      (PadRest(end, rest, buffers[I], &in[I]), ...);
      out = result;
      end = kLanes;
    }
    StoreRest(result, rest, rest_out);
  }

  // Makes `in` its `rest` elements from `begin`, with zeros after them.
  static HWY_INLINE void PadRest(int64_t begin, int64_t rest, T* buffer,
                                 Input* in) {
    if (in->step == 0) return;
    const T* const from = in->at + begin;
    if constexpr (kMasks) {
      const auto first = hn::FirstN(kTag, rest);
      hn::StoreU(hn::MaskedLoad(first, kTag, from), kTag, buffer);
    } else {
      hn::StoreU(hn::Zero(kTag), kTag, buffer);
      CopyRest(from, rest, buffer);
    }
    in->at = buffer;
  }

  static HWY_INLINE void StoreRest(const Out* result, int64_t rest, Out* out) {
    if constexpr (kMasks && !Functor::kMask) {
      hn::BlendedStore(hn::LoadU(kTag, result), hn::FirstN(kTag, rest), kTag,
                       out);
    } else {
      CopyRest(result, rest, out);
    }
  }

  template <typename U>
  static HWY_INLINE void CopyRest(const U* from, int64_t rest, U* to) {
    if (rest == 1) {  // The usual rest of a small tensor.
      *to = *from;
    } else {
      std::memcpy(to, from, rest * sizeof(U));
    }
  }
};

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

// [begin, end) of the output, for a functor over elements of type T.
template <template <typename> class FunctorOf, typename Attributes, typename T>
void RunElementwise(const ElementwiseCall& call, int64_t begin, int64_t end) {
  using Functor = FunctorOf<T>;
  const Functor functor = MakeFunctor<Functor>(call.attrs, Attributes());
  constexpr int kInputs = Functor::kInputs;
  if constexpr (kIsComplex<T> || Functor::kOneByOne) {
    RunOneByOne<T>(call, functor, begin, end,
                   std::make_index_sequence<kInputs>());
  } else {
    using Loop = VectorLoop<Functor, T>;
    if (IsOneRow(call, kInputs)) {
      return Loop::RunOneRow(functor, call, begin, end);
    }
    WalkBlocks(
        call,
        {&Loop::Run, &functor, kInputs, sizeof(T), sizeof(typename Loop::Out)},
        begin, end);
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

// SPDX-License-Identifier: Apache-2.0
// The path of every elementwise kernel of the backend `cpu` down to its vector
// loop: operands with broadcast strides, coalesced axes, a launch in chunks,
// and narrow dtypes through the one that they are computed in. It knows no
// arithmetic: that is a functor (phi/kernels/functors), put into a loop by
// phi/kernels/cpu/elementwise/elementwise-inl.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_ELEMENTWISE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_ELEMENTWISE_H_

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/attribute.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::cpu {

inline constexpr int kMaxElementwiseInputs = 3;

// One call, geometry worked out. Axes of extent 1 are gone, neighbours that
// every input walks evenly are one axis; at least one axis remains. Strides
// count elements, 0 where an input is broadcast. The output is contiguous.
struct ElementwiseCall {
  DataType dtype;
  int rank;
  std::array<int64_t, kMaxRank> extents;
  std::array<std::array<int64_t, kMaxRank>, kMaxElementwiseInputs> strides;
  std::array<const void*, kMaxElementwiseInputs> inputs;
  void* output;
  absl::Span<const AttrRef> attrs;
};

// A place in the output and where the first kInputs inputs' elements for it
// are.
template <int kInputs>
class ElementwiseCursor {
 public:
  ElementwiseCursor(const ElementwiseCall& call, int64_t begin) : call_(call) {
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

// Computes the elements [begin, end) of the output, in row-major order. A range
// sees no narrow dtype (narrow_dtypes.h), except for an output that is bool.
using ElementwiseRange = void (*)(const ElementwiseCall& call, int64_t begin,
                                  int64_t end);

// The arguments of a kernel, gathered in order.
class ElementwiseArguments {
 public:
  void Add(const DenseTensor& input) { inputs_[input_count_++] = &input; }
  void Add(DenseTensor* output) { output_ = output; }
  template <typename Attribute>
  void Add(const Attribute& attr) {
    attrs_[attr_count_++] = AttrRef(attr);
  }

  // Runs `range` over all elements. `dtype` is the dtype to compute in;
  // kUndefined means that `range` reads the operands' own dtypes. The inputs
  // broadcast to the output's shape; an input that is the output itself must
  // have its shape. A bool output is that of a functor that makes a mask.
  absl::Status Run(DataType dtype, ElementwiseRange range) const;

  // InvalidArgument, naming it `name`, if input number i, of an integer dtype,
  // has an element that is 0 and the output is not empty.
  absl::Status CheckNonzero(int i, DataType dtype, const char* name) const;

 private:
  ElementwiseCall Call(DataType dtype) const;

  static constexpr int kMaxAttrs = 6;
  std::array<const DenseTensor*, kMaxElementwiseInputs> inputs_ = {};
  std::array<AttrRef, kMaxAttrs> attrs_ = {};
  DenseTensor* output_ = nullptr;
  int input_count_ = 0;
  int attr_count_ = 0;
};

// The types of an operator's attributes, in order.
template <typename... A>
struct AttributeTypes {};

template <typename P>
inline constexpr bool kIsTensor =
    std::is_same_v<P, const DenseTensor&> || std::is_same_v<P, DenseTensor*>;

// `Types` with those of Parameters appended that are attributes.
template <typename Types, typename... Parameters>
struct AttributesAmong {
  using Result = Types;
};
template <typename... A, typename P, typename... Rest>
struct AttributesAmong<AttributeTypes<A...>, P, Rest...>
    : AttributesAmong<std::conditional_t<kIsTensor<P>, AttributeTypes<A...>,
                                         AttributeTypes<A..., P>>,
                      Rest...> {};

template <typename Function>
struct AttributesOfFunction;
template <typename... P>
struct AttributesOfFunction<absl::Status(const DeviceContext&, P...)>
    : AttributesAmong<AttributeTypes<>, P...> {};

template <typename Signature>
using AttributesOf =
    typename AttributesOfFunction<typename Signature::Function>::Result;

template <class Functor, typename... A, size_t... I>
Functor MakeFunctor(absl::Span<const AttrRef> attrs, AttributeTypes<A...>,
                    std::index_sequence<I...>) {
  static_assert(std::is_constructible_v<Functor, A...>,
                "the functor's constructor must take the attributes that the "
                "operator's YAML entry gives it, in their order");
  (void)attrs;
  return Functor(attrs[I].template Get<A>()...);
}

// The functor made of the attributes of a call, which are of these types.
template <class Functor, typename... A>
Functor MakeFunctor(absl::Span<const AttrRef> attrs,
                    AttributeTypes<A...> types) {
  return MakeFunctor<Functor>(attrs, types, std::index_sequence_for<A...>());
}

// The kernel function for Signature over `kRange`, for registration. `kMask`
// says that the functor makes a mask. Integers of input kNonzero (-1: none)
// must not be 0.
template <typename Signature, ElementwiseRange kRange, bool kMask, int kNonzero,
          typename Function = typename Signature::Function>
struct ElementwiseEntry;

template <typename Signature, ElementwiseRange kRange, bool kMask, int kNonzero,
          typename... A>
struct ElementwiseEntry<Signature, kRange, kMask, kNonzero,
                        absl::Status(const DeviceContext&, A...)> {
  template <typename T>
  static absl::Status Kernel(const CpuContext&, A... args) {
    static_assert(kMask || !std::is_same_v<T, bool>,
                  "a functor over bool must make a mask: its vectors are wider "
                  "than a bool");
    ElementwiseArguments arguments;
    (arguments.Add(args), ...);
    if constexpr (kNonzero >= 0 && std::is_integral_v<T>) {
      SY_RETURN_IF_ERROR(arguments.CheckNonzero(kNonzero, DataTypeOf<T>::value,
                                                kNonzero == 0 ? "x" : "y"));
    }
    return arguments.Run(DataTypeOf<T>::value, kRange);
  }
};

// Any strides, and any layout that pads nothing: then all elements of inputs
// and output lie in one order. The output of a functor that makes a mask is
// bool; InferMeta says the dtype of one that may yield another type.
template <typename Signature>
constexpr KernelSpec<Signature> ElementwiseSpec(
    bool mask, bool other_dtype, const char* file = __builtin_FILE(),
    int line = __builtin_LINE()) {
  const auto spec =
      KernelSpec<Signature>(file, line).AllStrided().KeepsLayout();
  if (mask) return spec.Output(0, Fixed(DataType::kBool));
  return other_dtype ? spec.Output(0, AnyDtype()) : spec;
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_ELEMENTWISE_ELEMENTWISE_H_

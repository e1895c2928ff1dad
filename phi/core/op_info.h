// SPDX-License-Identifier: Apache-2.0
// OpInfo: an operator's YAML entry as constant data, generated for every
// operator (phi/core/signatures/<op>.gen.{h,cc}). Everything that works on any
// operator (dispatch, eager, builders, passes, bindings) reads it.
#ifndef SWITCHYARD_PHI_CORE_OP_INFO_H_
#define SWITCHYARD_PHI_CORE_OP_INFO_H_

#include <cstdint>
#include <string_view>

#include "absl/base/optimization.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "phi/core/arg_list.h"

namespace switchyard {
struct TensorSpec;  // framework/types/tensor_spec.h
}

namespace switchyard::phi {

// Describes one input of an operator.
struct InputInfo {
  const char* name;
  bool optional = false;        // May be absent.
  bool list = false;            // Tensor[]: any number of tensors.
  bool no_need_buffer = false;  // Kernels read its metadata only.
  bool skip_transform = false;  // Handed over as it is: place, dtype, strides.
  bool castable = false;  // Cast to the dtype that a kernel asks for. Otherwise
                          // another dtype is a reason to refuse the kernel.
};

// Describes one attribute of an operator.
struct AttrInfo {
  const char* name;
  AttrType type;
  bool has_default = false;
  AttrRef default_value = {};
  bool supplied = false;  // Tensors may supply it; see AttrValue.
};

// Describes one output of an operator.
struct OutputInfo {
  const char* name;
  bool optional = false;       // May be not wanted.
  bool list = false;           // Tensor[]; the last two fields give its size.
  bool intermediate = false;   // For the gradient; hidden from users.
  int16_t inplace_of = -1;     // Input whose memory it may take (or must, for
                               // an operator with the trait kInplaceOnly).
  int16_t view_of = -1;        // Input whose buffer it shares: its kernel makes
                               // it; all other outputs come allocated.
  int16_t size_of_input = -1;  // List: as many as that input list has...
  int16_t size_of_attr = -1;   // ...or as that attribute says: the length of a
                               // list, the value of an integer.
};

// Facts that passes and executors ask for. `traits:` in YAML.
enum class Trait : uint32_t {
  kElementwise = 1u << 0,  // out[i] depends on inputs[i] (broadcast) alone.
  kView = 1u << 1,         // Moves no element.
  kRandom = 1u << 2,  // Has the input `rng`; see framework/random/philox.h.
  kCommutative = 1u << 3,  // The first two inputs may change places.
  kInplaceOnly = 1u << 4,  // Name ends in "_": updates its inputs.
  kTransform = 1u << 5,    // Selection may insert it: cast, copy, ...
  kOptimizer = 1u << 6,    // Updates parameters and state.
  kExtents = 1u << 7,      // Its result holds extents of the first input: that
                           // of its attribute `axis`, or all.
};

// Says where the key dtype comes from. Tried in this order: the attribute
// (unless it is undefined), the tensor, the literal. `kernel: data_type:` in
// YAML.
struct DtypeRule {
  int16_t attr = -1;
  int16_t input = -1;
  DataType literal = DataType::kUndefined;
};

// Says which inputs are promoted to one dtype before anything else happens: a
// bit per input. `promote:` in YAML; the rules are in phi/promotion.
struct PromotionRule {
  uint32_t inputs = 0;
  bool integer_to_float = false;  // int / int -> float32, as in divide.
};

// The metadata of one call; see phi/core/infer_meta_context.h. A tensor is null
// if it is absent or not wanted.
using InferMetaContext = OpArgs<const TensorSpec*, TensorSpec* const>;
using InferMetaFunction = absl::Status (*)(const InferMetaContext&);

// Holds what an operator's YAML entry says: arguments, outputs, the rule for
// its key dtype, promotion, traits. Constant data that lives as long as the
// process. It names no kernel: OpKernels (phi/core/kernel_table.h) does. The
// operator's gradient is a GradInfo (phi/core/grad_info.h), another symbol, so
// that inference links no gradient.
struct OpInfo {
  const char* name;
  absl::Span<const InputInfo> inputs;
  absl::Span<const AttrInfo> attrs;
  absl::Span<const OutputInfo> outputs;
  InferMetaFunction infer_meta;
  DtypeRule dtype_rule;
  PromotionRule promotion;
  uint32_t traits = 0;
  int32_t version = 1;    // Of its meaning, for saved programs.
  const char* file = "";  // "ops_gen/ops/activation.yaml"
  // Set for an operator made at run time, whose `infer_meta` is null: it gets
  // the operator, a record of a derived type that knows more.
  absl::Status (*infer_meta_of)(const OpInfo&,
                                const InferMetaContext&) = nullptr;

  // False for a composite whose body says what its results are.
  constexpr bool has_infer_meta() const {
    return infer_meta != nullptr || infer_meta_of != nullptr;
  }
  absl::Status InferMeta(const InferMetaContext& context) const {
    if (ABSL_PREDICT_FALSE(infer_meta == nullptr)) {
      return infer_meta_of(*this, context);
    }
    return infer_meta(context);
  }

  constexpr bool has(Trait trait) const {
    return (traits & static_cast<uint32_t>(trait)) != 0;
  }
  // These return a position by name, or -1 if there is none. Linear: for cold
  // paths.
  int input_index(std::string_view input) const;
  int attr_index(std::string_view attr) const;
};

class ArgLayout;  // phi/core/arg_buffer.h

// Adds the outputs of a call to `layout`: one element each, lists as their
// OutputInfo says. Returns an ArgumentError for a size that is negative or over
// kMaxArgElements.
absl::Status LayOutOutputs(const OpInfo& info, const ArgSegments& inputs,
                           absl::Span<const AttrRef> attrs, ArgLayout* layout);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_OP_INFO_H_

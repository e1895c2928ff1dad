// SPDX-License-Identifier: Apache-2.0
// InferMetaContext: the metadata of one call, handed to an operator's generated
// InferMeta thunk, which calls the hand-written function of phi/infermeta:
//   absl::Status SoftmaxInferMeta(const MetaTensor& x, int axis,
//                                 MetaTensor* out);
// An InferMeta function checks every argument that its kernels rely on (rank,
// extents as far as known, axis, dtype relations, sizes that fit) and sets the
// outputs' dtype and shape. It does not know its operator's name: its caller
// prefixes that. The kernels' counterpart is phi/core/kernel_context.h.
#ifndef SWITCHYARD_PHI_CORE_INFER_META_CONTEXT_H_
#define SWITCHYARD_PHI_CORE_INFER_META_CONTEXT_H_

#include "framework/tensor/meta_tensor.h"
#include "phi/core/op_info.h"

namespace switchyard::phi {

// Metadata of a Tensor[] argument. Entries are never null.
using MetaList = absl::Span<const MetaTensor* const>;
using MetaOutputs = absl::Span<MetaTensor* const>;

// Borrows all that it is given. An absent optional tensor is null.
class InferMetaContext {
 public:
  InferMetaContext(absl::Span<const MetaTensor* const> inputs,
                   Slots input_slots, absl::Span<const AttrRef> attrs,
                   absl::Span<MetaTensor* const> outputs, Slots output_slots)
      : inputs_(inputs),
        outputs_(outputs),
        attrs_(attrs),
        input_slots_(input_slots),
        output_slots_(output_slots) {}

  const MetaTensor& input(int i) const {
    return *inputs_[input_slots_.begin(i)];
  }
  const MetaTensor* optional_input(int i) const {
    return inputs_[input_slots_.begin(i)];
  }
  MetaList input_list(int i) const {
    return inputs_.subspan(input_slots_.begin(i),
                           input_slots_.end(i) - input_slots_.begin(i));
  }
  template <typename T>
  T attr(int i) const {
    return attrs_[i].Get<T>();
  }
  // Null if an optional output is not wanted.
  MetaTensor* output(int i) const { return outputs_[output_slots_.begin(i)]; }
  MetaOutputs output_list(int i) const {
    return outputs_.subspan(output_slots_.begin(i),
                            output_slots_.end(i) - output_slots_.begin(i));
  }

 private:
  absl::Span<const MetaTensor* const> inputs_;
  absl::Span<MetaTensor* const> outputs_;
  absl::Span<const AttrRef> attrs_;
  Slots input_slots_;
  Slots output_slots_;
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_INFER_META_CONTEXT_H_

// SPDX-License-Identifier: Apache-2.0
// GradInfo: how an operator's backward operator gets its arguments.
#ifndef SWITCHYARD_PHI_CORE_GRAD_INFO_H_
#define SWITCHYARD_PHI_CORE_GRAD_INFO_H_

#include "phi/core/op_info.h"

namespace switchyard::phi {

// Says where an input of the backward operator comes from.
struct GradSource {
  enum class Kind : uint16_t { kInput, kOutput, kOutputGrad };
  Kind kind;
  int16_t index;  // Of the forward input or output.
};

// Says how the backward operator of `forward` gets its arguments: constant data
// that is generated from the `backward_op` entry, lives as long as the process
// and is never written. Eager's grad node and the static graph's autodiff
// interpret the same record. The backward operator's own OpInfo describes its
// signature.
struct GradInfo {
  const OpInfo* forward;
  const OpInfo* backward;
  // One for each input of `backward`.
  absl::Span<const GradSource> inputs;
  // One for each attribute of `backward`: the forward attribute that it
  // repeats, or -1: its default.
  absl::Span<const int16_t> attrs;
  // One for each output of `backward`: the forward input that it is the
  // gradient of (a list output goes with a list input).
  absl::Span<const int16_t> outputs;
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_GRAD_INFO_H_

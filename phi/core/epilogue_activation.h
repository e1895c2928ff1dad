// SPDX-License-Identifier: Apache-2.0
// EpilogueActivation: the activation functions that conv2d_epilogue and its
// like apply to what they have summed, by the names that programs have for
// them. InferMeta, the kernels of each backend and the passes of static_graph
// read names here, so that all of them know the same ones. Plain constants: any
// thread reads them.
//
//   FindEpilogueActivation("hard_swish")  // kHardSwish
//   FindEpilogueActivation("softmax")     // nullopt: an error of InferMeta
#ifndef SWITCHYARD_PHI_CORE_EPILOGUE_ACTIVATION_H_
#define SWITCHYARD_PHI_CORE_EPILOGUE_ACTIVATION_H_

#include <optional>
#include <string_view>

#include "framework/types/post_ops.h"

namespace switchyard::phi {

// An activation function; framework/types/post_ops.def has a row for each.
using EpilogueActivation = PostOpKind;

// The names, in the order of the enumeration.
inline constexpr std::string_view kEpilogueActivationNames[] = {
#define SY_POST_OP(enumerator, name, ...) name,
#include "framework/types/post_ops.def"
#undef SY_POST_OP
};

// Returns nullopt for a name that is none of them.
inline std::optional<EpilogueActivation> FindEpilogueActivation(
    std::string_view name) {
  return FindPostOpKind(name);
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_EPILOGUE_ACTIVATION_H_

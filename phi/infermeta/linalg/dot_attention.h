// SPDX-License-Identifier: Apache-2.0
// InferMeta of dot_attention.
#ifndef SWITCHYARD_PHI_INFERMETA_LINALG_DOT_ATTENTION_H_
#define SWITCHYARD_PHI_INFERMETA_LINALG_DOT_ATTENTION_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// q [..., m, d], k [..., n, d], v [..., n, e], of one rank, whose leading axes
// broadcast; mask broadcasts with [..., m, n]. out [..., m, e].
absl::Status DotAttentionInferMeta(const TensorSpec& q, const TensorSpec& k,
                                   const TensorSpec& v, const TensorSpec* mask,
                                   TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_LINALG_DOT_ATTENTION_H_

// SPDX-License-Identifier: Apache-2.0
// InferMeta of operators that move elements or change shape or dtype.
#ifndef SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_MANIPULATION_H_
#define SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_MANIPULATION_H_

#include <cstdint>
#include <string_view>

#include "framework/base/status.h"
#include "framework/types/attr_value.h"
#include "framework/types/scalar.h"
#include "phi/core/infer_meta_context.h"

namespace switchyard::phi {

// out: x's shape, `dtype` (not undefined).
absl::Status CastInferMeta(const TensorSpec& x, DataType dtype,
                           TensorSpec* out);

// x_grad: as x. out_grad: x's shape, any dtype.
absl::Status CastGradInferMeta(const TensorSpec& x, const TensorSpec& out_grad,
                               TensorSpec* x_grad);

// out: as x, in the layout of that name, which is one for x's rank.
absl::Status ReorderInferMeta(const TensorSpec& x, std::string_view layout,
                              TensorSpec* out);

// out: x's dtype. In `shape` one -1 is inferred from the number of elements and
// a 0 repeats x's extent of that axis; beyond x's axes it is 0.
absl::Status ReshapeInferMeta(const TensorSpec& x, AttrValues shape,
                              TensorSpec* out);

// x_grad: as x. out_grad: x's dtype, as many elements. Of all operators that
// change nothing but the shape.
absl::Status ReshapeGradInferMeta(const TensorSpec& x,
                                  const TensorSpec& out_grad,
                                  TensorSpec* x_grad);

// out: extent of x's axis perm[i] on axis i. perm: each axis once, in
// [-rank, rank).
absl::Status TransposeInferMeta(const TensorSpec& x, absl::Span<const int> perm,
                                TensorSpec* out);

// x_grad: what TransposeInferMeta with `perm` turns into out_grad.
absl::Status TransposeGradInferMeta(const TensorSpec& out_grad,
                                    absl::Span<const int> perm,
                                    TensorSpec* x_grad);

// out: the extents along `axis` added. One tensor or more, of one dtype and
// rank (from 1) and equal extents otherwise.
absl::Status ConcatInferMeta(MetaList x, AttrValue axis, TensorSpec* out);

// Each out as its x.
absl::Status UnchangedListInferMeta(MetaList x, MetaOutputs out);

// out[i]: extent sections[i] along `axis`. The sections add up to x's extent;

// those that are -1 share the rest evenly.
absl::Status SplitInferMeta(const TensorSpec& x, AttrValues sections,
                            AttrValue axis, MetaOutputs out);

// out: max(0, end - start) elements of axis axes[i], negative positions counted
// from the end, then clamped to [0, extent]. No axis twice.
absl::Status SliceInferMeta(const TensorSpec& input,
                            absl::Span<const int64_t> axes, AttrValues starts,
                            AttrValues ends, TensorSpec* out);

// out: `shape`, which x broadcasts to; -1 keeps x's extent there.
absl::Status ExpandInferMeta(const TensorSpec& x, AttrValues shape,
                             TensorSpec* out);

// x_grad: as x. out_grad: x's dtype, a shape that x broadcasts to. Of expand_as
// too.
absl::Status ExpandGradInferMeta(const TensorSpec& x,
                                 const TensorSpec& out_grad,
                                 TensorSpec* x_grad);

// out: x's dtype, y's shape, which x broadcasts to.
absl::Status ExpandAsInferMeta(const TensorSpec& x, const TensorSpec& y,
                               TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DATA_MOVEMENT_MANIPULATION_H_

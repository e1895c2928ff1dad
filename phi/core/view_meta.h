// SPDX-License-Identifier: Apache-2.0
// The geometry of the outputs of a view operator (OutputInfo::view_of) before
// there is any data. Only the kernel knows it; it moves no element, so it is
// run over tensors without memory. The executor plans with it
// (static_graph/executor); `explain` follows strides through a composite.
#ifndef SWITCHYARD_PHI_CORE_VIEW_META_H_
#define SWITCHYARD_PHI_CORE_VIEW_META_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/arg_list.h"
#include "phi/core/kernel_def.h"

namespace switchyard::phi {

// One call of a view operator. All is borrowed.
struct ViewCall {
  const KernelDef* kernel = nullptr;
  Place place;
  ArgList<const TensorMeta* const> inputs;  // Null where absent.
  absl::Span<const AttrRef> attrs;
  // As inferred, with known shapes; null where not wanted.
  ArgList<const TensorSpec* const> outputs;
};

// Returns the metadata of the call's outputs, by output slot. Errors are the
// kernel's.
absl::StatusOr<std::vector<TensorMeta>> ViewMetas(const ViewCall& call);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_VIEW_META_H_

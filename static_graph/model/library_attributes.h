// SPDX-License-Identifier: Apache-2.0
// KeepDeclinedLibrariesOff: the attributes use_mkldnn and use_cudnn of an
// imported program as lists of a policy.
#ifndef SWITCHYARD_STATIC_GRAPH_MODEL_LIBRARY_ATTRIBUTES_H_
#define SWITCHYARD_STATIC_GRAPH_MODEL_LIBRARY_ATTRIBUTES_H_

#include "framework/base/status.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/policy.h"
#include "static_graph/translate/translated_program.h"

namespace switchyard::static_graph {

// Adds lists to `policy` that keep a library off the operators whose calls in a
// program decline it. Libraries and operators that `kernels` lacks are left
// out. ArgumentError for a policy that has lists; Unimplemented where some
// calls of one operator use a library and others decline it.
absl::Status KeepDeclinedLibrariesOff(const LibraryUses& libraries,
                                      const phi::KernelTable& kernels,
                                      phi::selection::Policy* policy);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_MODEL_LIBRARY_ATTRIBUTES_H_

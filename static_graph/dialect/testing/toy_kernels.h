// SPDX-License-Identifier: Apache-2.0
// The kernels of the toy operators (toy_operators.h), which puts them into a
// table.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_TESTING_TOY_KERNELS_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_TESTING_TOY_KERNELS_H_

#include "absl/types/span.h"
#include "phi/core/kernel_def.h"

namespace switchyard::static_graph::testing {

absl::Span<const phi::KernelDef* const> ToyKernelDefs();

}  // namespace switchyard::static_graph::testing

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_TESTING_TOY_KERNELS_H_

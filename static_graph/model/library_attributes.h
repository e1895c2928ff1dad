// SPDX-License-Identifier: Apache-2.0
// CountingAttributes: the attributes of an imported program's calls that say by
// which library and on which device they run.
#ifndef SWITCHYARD_STATIC_GRAPH_MODEL_LIBRARY_ATTRIBUTES_H_
#define SWITCHYARD_STATIC_GRAPH_MODEL_LIBRARY_ATTRIBUTES_H_

#include <string>
#include <vector>

#include "phi/core/kernel_table.h"

namespace switchyard::static_graph {

// Returns op_device, and use_mkldnn and use_cudnn where `kernels` has kernels
// of the library: what a call says of others has no effect, and no operation's
// policy can name them.
std::vector<std::string> CountingAttributes(const phi::KernelTable& kernels);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_MODEL_LIBRARY_ATTRIBUTES_H_

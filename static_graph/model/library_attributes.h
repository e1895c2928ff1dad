// SPDX-License-Identifier: Apache-2.0
// CountingLibraries: the libraries that the attributes use_mkldnn and use_cudnn
// of an imported program are about.
#ifndef SWITCHYARD_STATIC_GRAPH_MODEL_LIBRARY_ATTRIBUTES_H_
#define SWITCHYARD_STATIC_GRAPH_MODEL_LIBRARY_ATTRIBUTES_H_

#include <string>
#include <vector>

#include "phi/core/kernel_table.h"

namespace switchyard::static_graph {

// Returns the backends of these libraries that `kernels` has kernels of: what a
// call says of others has no effect, and no operation's policy can name them.
std::vector<std::string> CountingLibraries(const phi::KernelTable& kernels);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_MODEL_LIBRARY_ATTRIBUTES_H_

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/model/library_attributes.h"

namespace switchyard::static_graph {

std::vector<std::string> CountingLibraries(const phi::KernelTable& kernels) {
  std::vector<std::string> counting;
  for (const char* const library : {"onednn", "gpudnn"}) {
    if (kernels.FindBackend(library) != nullptr) counting.emplace_back(library);
  }
  return counting;
}

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/model/library_attributes.h"

namespace switchyard::static_graph {

std::vector<std::string> CountingAttributes(const phi::KernelTable& kernels) {
  std::vector<std::string> counting = {"op_device"};
  if (kernels.FindBackend("onednn") != nullptr) {
    counting.emplace_back("use_mkldnn");
  }
  if (kernels.FindBackend("gpudnn") != nullptr) {
    counting.emplace_back("use_cudnn");
  }
  return counting;
}

}  // namespace switchyard::static_graph

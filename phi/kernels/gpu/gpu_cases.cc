// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/gpu_cases.h"

namespace switchyard::phi::kernels {

std::vector<GpuCase> GpuCases() {
  std::vector<GpuCase> cases = {
      {"gpu", {"relu", {RandomTensor<float>(Shape({1000, 33}))}}},
      {"gpu",
       {"add",
        {RandomTensor<float>(Shape({70, 1, 33})),
         RandomTensor<float>(Shape({5, 33}), -1, 1, /*seed=*/2)}}},
      {"gpu",
       {"matmul",
        {RandomTensor<float>(Shape({3, 64, 50})),
         RandomTensor<float>(Shape({20, 50}), -1, 1, /*seed=*/2)},
        {false, true}}},
  };
  for (const int axis : {0, 1, -1}) {
    cases.push_back(
        {"gpudnn",
         {"softmax", {RandomTensor<float>(Shape({9, 40, 7}))}, {axis}}});
  }
  return cases;
}

}  // namespace switchyard::phi::kernels

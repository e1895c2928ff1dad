// SPDX-License-Identifier: Apache-2.0
// Reads numbers from the command line and prints their softmax: a product that
// links one operator of Switchyard, not the framework.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "framework/memory/buffer.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/api/softmax.gen.h"

namespace {

using switchyard::Buffer;
using switchyard::DenseTensor;

// A tensor over memory that stays the caller's.
DenseTensor TensorOver(std::vector<float>& values) {
  const switchyard::Place cpu = switchyard::Place::Cpu();
  DenseTensor tensor;
  tensor.SetMeta(switchyard::DataType::kFloat32,
                 {static_cast<int64_t>(values.size())}, cpu);
  tensor.SetBuffer(Buffer::Wrap(
      values.data(), values.size() * sizeof(float), cpu, [](void*) {},
      nullptr));
  return tensor;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<float> values;
  for (int i = 1; i < argc; ++i)
    values.push_back(std::strtof(argv[i], nullptr));

  const absl::StatusOr<DenseTensor> result =
      switchyard::phi::api::softmax(TensorOver(values));
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
    return 1;
  }
  for (int64_t i = 0; i < result->numel(); ++i) {
    std::printf("%g\n", result->data<float>()[i]);
  }
  return 0;
}

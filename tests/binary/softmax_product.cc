// SPDX-License-Identifier: Apache-2.0
// The smallest product: softmax of four numbers through the C++ API.
#include <cstdio>

#include "framework/memory/cpu_allocator.h"
#include "phi/api/softmax.gen.h"

int main() {
  switchyard::DenseTensor x;
  x.SetMeta(switchyard::DataType::kFloat32, {4}, switchyard::Place::Cpu());
  auto buffer = switchyard::CpuAllocator().Allocate(4 * sizeof(float));
  if (!buffer.ok()) return 1;
  x.SetBuffer(*std::move(buffer));
  for (int i = 0; i < 4; ++i) x.mutable_data<float>()[i] = 0.0f;
  const auto out = switchyard::phi::api::softmax(x, -1);
  if (!out.ok()) {
    std::fprintf(stderr, "%s\n", std::string(out.status().message()).c_str());
    return 1;
  }
  std::printf("%g\n", out->data<float>()[0]);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// A product with every kernel linked: one addition, then the end. Its time from
// exec to exit is what starting costs.
#include <cstdio>

#include "eager/ops/add.gen.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_tables.h"

int main() {
  using switchyard::eager::Tensor;
  const Tensor x(switchyard::MakeTensor<float>({1}, {1}));
  const Tensor y = switchyard::eager::add(x, x);
  std::printf("%g, %zu kernels' operators\n",
              static_cast<double>(y.dense().data<float>()[0]),
              switchyard::phi::KernelTables::Current().ops().size());
}

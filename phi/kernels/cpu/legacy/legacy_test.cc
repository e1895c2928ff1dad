// SPDX-License-Identifier: Apache-2.0
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

TEST(ElementwiseAddTest, AgreesWithReference) {
  struct Case {
    Shape x, y;
    int axis;
  };
  const Case cases[] = {{Shape({2, 3, 4, 5}), Shape({3, 4}), 1},
                        {Shape({2, 3, 4, 5}), Shape({2}), 0},
                        {Shape({2, 3, 4, 5}), Shape({4, 5}), -1},
                        {Shape({2, 3, 4, 5}), Shape({3, 1}), 1},
                        {Shape({64, 128}), Shape({128}), 1},
                        {Shape({0, 3}), Shape({3}), -1}};
  for (const Case& c : cases) {
    const DenseTensor x = RandomTensor<double>(c.x);
    const DenseTensor y = RandomTensor<double>(c.y, -1, 1, /*seed=*/2);
    CheckAgainstReference({"elementwise_add", {x, y}, {c.axis}});
    CheckAgainstReference({"elementwise_add_grad", {x, y, x}, {c.axis}},
                          {1e-13, 1e-13});
    CheckAgainstReference({"elementwise_add",
                           {RandomTensor<float>(c.x), RandomTensor<float>(c.y)},
                           {c.axis}});
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu

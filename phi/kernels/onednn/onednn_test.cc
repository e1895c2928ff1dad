// SPDX-License-Identifier: Apache-2.0
// The kernels of oneDNN against the reference ones, on shapes that their
// conditions admit. CheckAgainstReference compares 1 and 3 threads bit by bit
// where the kernel promises the same, as softmax does.
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels {
namespace {

TEST(SoftmaxTest, AgreesWithReference) {
  struct Case {
    Shape shape;
    int axis;
  };
  const Case cases[] = {{Shape({64, 1000}), -1},
                        {Shape({16384}), 0},
                        {Shape({128, 257}), 0},
                        {Shape({20, 30, 40}), 1}};
  for (const Case& c : cases) {
    CheckAgainstReference(
        {"softmax", {RandomTensor<float>(c.shape, -20, 20)}, {c.axis}},
        {1e-6, 1e-5});
  }
}

TEST(MatmulTest, AgreesWithReference) {
  struct Case {
    Shape x, y;
    bool transpose_x, transpose_y;
  };
  const Case cases[] = {
      {Shape({64, 784}), Shape({784, 128}), false, false},
      {Shape({784, 64}), Shape({784, 128}), true, false},
      {Shape({64, 128}), Shape({784, 128}), false, true},
      {Shape({100, 200}), Shape({150, 100}), true, true},
      {Shape({1500}), Shape({1500, 1400}), false, false},
      {Shape({6, 50, 120}), Shape({120, 80}), false, false},
      {Shape({2, 1, 60, 150}), Shape({3, 150, 121}), false, false},
  };
  for (const Case& c : cases) {
    CheckAgainstReference({"matmul",
                           {RandomTensor<float>(c.x, -1, 1),
                            RandomTensor<float>(c.y, -1, 1, /*seed=*/2)},
                           {c.transpose_x, c.transpose_y}},
                          {1e-3, 1e-5});
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels

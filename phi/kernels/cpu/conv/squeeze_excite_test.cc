// SPDX-License-Identifier: Apache-2.0
#include "framework/types/post_ops.h"
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

struct BlockCase {
  Shape x;
  int64_t hidden;
  bool biases;
  const char* activation;
  const char* gate;
  float shift = 0;
};

// With more images than threads, channels that do not fill a block, planes of
// an odd number of pixels, and of one.
const BlockCase kBlocks[] = {
    {Shape({1, 16, 7, 9}), 4, true, "relu", "hard_sigmoid(0.2, 0.5)", 1},
    {Shape({5, 24, 3, 5}), 9, true, "hard_swish", "sigmoid"},
    {Shape({2, 19, 4, 4}), 33, false, "relu6", "tanh", -0.5f},
    {Shape({1, 120, 40, 31}), 30, true, "swish(1)", "clip(0.2, 0.5)"},
    {Shape({3, 8, 1, 1}), 1, false, "", "gelu"},
};

template <typename T>
KernelCase CallOf(const BlockCase& c) {
  const Dim channels = c.x[1];
  const auto bias = [&](Dim count, int seed) {
    return c.biases ? RandomTensor<T>(Shape({count}), -1, 1, seed)
                    : DenseTensor();
  };
  return {"squeeze_excite",
          {RandomTensor<T>(c.x, -1, 2),
           RandomTensor<T>(Shape({c.hidden, channels, 1, 1}), -1, 1, 2),
           bias(c.hidden, 3),
           RandomTensor<T>(Shape({channels, c.hidden, 1, 1}), -1, 1, 4),
           bias(channels, 5)},
          {*ParsePostOps("activation", c.activation),
           *ParsePostOps("gate", c.gate), c.shift}};
}

TEST(SqueezeExciteTest, AgreesWithReference) {
  for (const BlockCase& c : kBlocks) {
    CheckAgainstReference(CallOf<float>(c), {1e-4, 1e-5});
    CheckAgainstReference(CallOf<double>(c), {1e-6, 1e-7});
  }
}

TEST(SqueezeExciteTest, TakesNoPixels) {
  CheckAgainstReference(
      CallOf<float>({Shape({2, 8, 0, 3}), 2, true, "relu", "sigmoid"}));
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu

// SPDX-License-Identifier: Apache-2.0
#include "gtest/gtest.h"
#include "phi/kernels/testing/kernel_cases.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// CheckAgainstReference compares the bits of 1 and 3 threads.
struct AttentionCase {
  Shape q, k, v;
  Shape mask = {};  // Of rank 0: none.
  float scale = 1;
};

// Several heads at once, and in rounds of which the last has fewer; rows in
// blocks; leading axes and masks that are broadcast, one number for a line too;
// one row, one key; no keys, and no depth.
const AttentionCase kCases[] = {
    {Shape({2, 3, 5, 4}), Shape({2, 3, 7, 4}), Shape({2, 3, 7, 6}), {}, 0.5f},
    {Shape({70, 50, 3}), Shape({70, 50, 3}), Shape({70, 50, 2})},
    {Shape({2, 75, 4}), Shape({2, 4099, 4}), Shape({2, 4099, 3}), {}, 0.3f},
    {Shape({2, 3, 5, 4}), Shape({1, 3, 7, 4}), Shape({2, 1, 7, 6}),
     Shape({2, 1, 1, 7}), 2.0f},
    {Shape({2, 2, 9, 4}), Shape({2, 2, 33, 4}), Shape({2, 2, 33, 5}),
     Shape({9, 33}), 0.125f},
    {Shape({2, 9, 4}), Shape({2, 11, 4}), Shape({2, 11, 5}), Shape({2, 9, 1})},
    {Shape({1, 4}), Shape({1, 4}), Shape({1, 3}), Shape({5, 1})},
    {Shape({2, 3, 4}), Shape({2, 0, 4}), Shape({2, 0, 2})},
    {Shape({2, 3, 0}), Shape({2, 6, 0}), Shape({2, 6, 2})},
};

template <typename T>
KernelCase CallOf(const AttentionCase& c) {
  return {
      "dot_attention",
      {RandomTensor<T>(c.q, -1, 1), RandomTensor<T>(c.k, -1, 1, 2),
       RandomTensor<T>(c.v, -1, 1, 3),
       c.mask.rank() == 0 ? DenseTensor() : RandomTensor<T>(c.mask, -3, 1, 4)},
      {c.scale}};
}

TEST(DotAttentionTest, AgreesWithReference) {
  for (const AttentionCase& c : kCases) {
    CheckAgainstReference(CallOf<float>(c), {1e-5, 1e-5});
    CheckAgainstReference(CallOf<double>(c), {1e-12, 1e-12});
  }
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu

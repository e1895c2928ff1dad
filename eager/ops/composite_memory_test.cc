// SPDX-License-Identifier: Apache-2.0
// The memory of composites: each value is held until the end of its scope, and
// no longer.
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "eager/call/eager_op.h"
#include "eager/ops/relu_grad.gen.h"
#include "eager/ops/sigmoid_grad.gen.h"
#include "eager/ops/tanh_grad.gen.h"
#include "eager/tensor/tensor.h"
#include "framework/memory/memory_meter.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"

namespace switchyard::eager {
namespace {

constexpr int64_t kElements = 1 << 18;
constexpr int64_t kBytes = kElements * sizeof(float);

Tensor Large(float number) {
  const std::vector<float> numbers(kElements, number);
  return Tensor(MakeTensor<float>({kElements}, absl::MakeConstSpan(numbers)));
}

// Runs the composite of a gradient of one result and two inputs. Returns the
// most memory that was out, in tensors.
int64_t MostTensors(const EagerOp& op, float expected) {
  const Tensor out = Large(0.5f), out_grad = Large(2);
  MemoryMeter meter;
  const MeterScope scope(&meter);
  {
    Tensor result;
    const Tensor* const inputs[] = {&out, &out_grad};
    Tensor* const outputs[] = {&result};
    EXPECT_THAT(op.composite({inputs, {}, outputs}), IsOk());
    EXPECT_EQ(result.dense().data<float>()[kElements - 1], expected);
  }
  EXPECT_EQ(meter.bytes(), 0);
  EXPECT_EQ(meter.peak() % kBytes, 0);
  return meter.peak() / kBytes;
}

TEST(CompositeMemoryTest, GivesValuesBackAtTheEndOfTheirScopes) {
  // The sign, and the result.
  EXPECT_EQ(MostTensors(eager_relu_grad, 2), 2);
  // 1 - out, the slope, and the result.
  EXPECT_EQ(MostTensors(eager_sigmoid_grad, 0.5f), 3);
  // The square beside the slope; the slope beside the result.
  EXPECT_EQ(MostTensors(eager_tanh_grad, 1.5f), 2);
}

}  // namespace
}  // namespace switchyard::eager

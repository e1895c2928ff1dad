// SPDX-License-Identifier: Apache-2.0
// Eager calls, backward runs and optimizer steps with every request for memory
// refused (memory_campaign.h). Blocks of tensors, which have a status, are
// refused in allocation_test.cc.
#include <gtest/gtest.h>

#include <new>
#include <string>
#include <vector>

#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/legacy/run_legacy_op.h"
#include "eager/ops/adam_.gen.h"
#include "eager/ops/add.gen.h"
#include "eager/ops/concat.gen.h"
#include "eager/ops/dropout.gen.h"
#include "eager/ops/log_softmax.gen.h"
#include "eager/ops/matmul.gen.h"
#include "eager/ops/mean.gen.h"
#include "eager/ops/multiply.gen.h"
#include "eager/ops/sgd_.gen.h"
#include "eager/ops/slice.gen.h"
#include "eager/ops/split.gen.h"
#include "eager/ops/sum.gen.h"
#include "eager/ops/tanh.gen.h"
#include "eager/ops/transpose.gen.h"
#include "framework/base/op_error.h"
#include "framework/random/generator.h"
#include "framework/testing/tensors.h"
#include "tests/faults/fault_injection.h"
#include "tests/faults/memory_campaign.h"

namespace switchyard {
namespace {

using eager::Tensor;

DenseTensor Numbers(const Shape& shape, int seed) {
  std::vector<float> values;
  for (int64_t i = 0; i < *shape.NumElements(); ++i) {
    values.push_back(static_cast<float>((i * 37 + seed * 11) % 41) / 20 - 1);
  }
  return MakeTensor<float>(shape, values);
}

Tensor Leaf(const Shape& shape, int seed) {
  Tensor leaf(Numbers(shape, seed));
  ThrowIfError(leaf.set_requires_grad(true));
  return leaf;
}

TEST(MemoryEager, ACall) {
  const Tensor x(Numbers({2, 3}, 1));
  ExpectSurvivesFailedAllocations(
      [&] { return Bits(eager::add(x, x).dense()); });
}

TEST(MemoryEager, ACallWithACast) {
  const Tensor x(Numbers({2, 3}, 1));
  const Tensor wide(MakeTensor<double>({2, 3}, {1, 2, 3, 4, 5, 6}));
  ExpectSurvivesFailedAllocations(
      [&] { return Bits(eager::add(x, wide).dense()); });
}

TEST(MemoryEager, ACallThatWasNeverMadeBefore) {
  // Each run has another shape, so that no choice is remembered.
  int64_t columns = 1;
  ExpectSurvivesFailedAllocations([&columns] {
    ++columns;
    const std::vector<double> values(static_cast<size_t>(columns), 1.0);
    const Tensor ones(MakeTensorOf(DataType::kFloat32, {1, columns}, values));
    return Bits(eager::mean(eager::multiply(ones, ones)).dense());
  });
}

TEST(MemoryEager, Views) {
  const Tensor x(Numbers({2, 3, 4}, 1));
  ExpectSurvivesFailedAllocations([&] {
    const Tensor part =
        eager::slice(eager::transpose(x, {2, 0, 1}), {0, 2}, {1, 0}, {3, 2});
    return Bits(eager::add(part, part).dense());
  });
}

TEST(MemoryEager, Lists) {
  const Tensor x(Numbers({10, 3}, 1));
  ExpectSurvivesFailedAllocations([&] {
    const std::vector<Tensor> parts =
        eager::split(x, std::vector<int64_t>(10, 1), 0);
    return Bits(eager::concat(parts, 1).dense());
  });
}

TEST(MemoryEager, ACallInPlace) {
  const Tensor x(Numbers({2, 3}, 1));
  ExpectSurvivesFailedAllocations([&] {
    Tensor y(Numbers({2, 3}, 2));
    eager::add_(y, x);
    return Bits(y.dense());
  });
}

TEST(MemoryEager, RandomNumbers) {
  const Tensor x(Numbers({4, 5}, 1));
  ExpectSurvivesFailedAllocations([&] {
    DefaultGenerator().Seed(7);
    return Bits(eager::dropout(x).dense());
  });
}

TEST(MemoryEager, ACallByLegacyName) {
  const Tensor x(Numbers({2, 3}, 1));
  const Tensor y(Numbers({3, 4}, 2));
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    SY_ASSIGN_OR_RETURN(
        const std::vector<eager::SlotTensors> outputs,
        eager::RunLegacyOp("matmul_v2", {{"X", {x}}, {"Y", {y}}}, {}));
    return Bits(outputs.at(0).tensors.at(0).dense());
  });
}

TEST(MemoryEager, DetachAndRequireGrad) {
  const Tensor x(Numbers({2, 3}, 1));
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    Tensor detached = x.detach();
    SY_RETURN_IF_ERROR(detached.set_requires_grad(true));
    SY_RETURN_IF_ERROR(detached.set_grad(x));
    SY_RETURN_IF_ERROR(detached.set_requires_grad(false));
    return Bits(detached.grad().dense());
  });
}

TEST(MemoryEager, ARecordedCall) {
  const Tensor w = Leaf({3, 4}, 1);
  const Tensor x(Numbers({2, 3}, 2));
  ExpectSurvivesFailedAllocations([&] {
    const Tensor y = eager::log_softmax(eager::matmul(x, w));
    return Bits(y.dense()) + (y.requires_grad() ? " recorded" : "");
  });
}

TEST(MemoryEager, Backward) {
  const Tensor x(Numbers({4, 3}, 2));
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    Tensor w = Leaf({3, 5}, 1);
    const Tensor h = eager::matmul(x, w);
    // Two uses: gradients are added.
    const Tensor loss =
        eager::mean(eager::multiply(eager::tanh(h), eager::log_softmax(h)));
    SY_RETURN_IF_ERROR(eager::Backward({loss}));
    return Bits(w.grad().dense());
  });
}

TEST(MemoryEager, BackwardOfALongChain) {
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    Tensor w = Leaf({2}, 1);
    Tensor y = w;
    for (int i = 0; i < 40; ++i) y = eager::add(y, w);
    SY_RETURN_IF_ERROR(eager::Backward({eager::sum(y)}));
    return Bits(w.grad().dense());
  });
}

TEST(MemoryEager, BackwardWithHooks) {
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    Tensor w = Leaf({2, 3}, 1);
    Tensor y = eager::tanh(w);
    SY_RETURN_IF_ERROR(
        y.RegisterHook([](const Tensor& grad) -> absl::StatusOr<Tensor> {
           return eager::add(grad, grad);
         }).status());
    SY_ASSIGN_OR_RETURN(
        eager::HookHandle removed,
        y.RegisterHook(
            [](const Tensor& grad) -> absl::StatusOr<Tensor> { return grad; }));
    removed.Remove();
    SY_RETURN_IF_ERROR(w.RegisterPostAccumulateHook([](Tensor* grad) {
                          *grad = eager::multiply(*grad, *grad);
                          return absl::OkStatus();
                        }).status());
    SY_RETURN_IF_ERROR(y.RetainGrad());
    SY_RETURN_IF_ERROR(eager::Backward({eager::sum(y)}));
    return Bits(w.grad().dense()) + Bits(y.grad().dense());
  });
}

TEST(MemoryEager, GradientsOfGradients) {
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    Tensor w = Leaf({2, 2}, 3);
    const Tensor y = eager::sum(eager::multiply(eager::tanh(w), w));
    eager::GradOptions options;
    options.create_graph = true;
    SY_ASSIGN_OR_RETURN(const std::vector<Tensor> first,
                        eager::Grad({y}, {w}, {}, options));
    SY_ASSIGN_OR_RETURN(const std::vector<Tensor> second,
                        eager::Grad({eager::sum(first[0])}, {w}));
    return Bits(second[0].dense());
  });
}

TEST(MemoryEager, OptimizerSteps) {
  const Tensor grad(Numbers({2, 3}, 2));
  const Tensor rate(MakeTensor<float>({1}, {0.1f}));
  ExpectSurvivesFailedAllocations([&] {
    const eager::NoGradGuard no_grad;
    Tensor w = Tensor(Numbers({2, 3}, 1));
    eager::sgd_(w, rate, grad);
    Tensor moment1(Numbers({2, 3}, 4));
    Tensor moment2(MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
    Tensor power1(MakeTensor<float>({1}, {0.9f}));
    Tensor power2(MakeTensor<float>({1}, {0.999f}));
    eager::adam_(w, grad, rate, moment1, moment2, power1, power2);
    return Bits(w.dense()) + Bits(moment1.dense()) + Bits(power2.dense());
  });
}

// A step whose call fails has not written its argument.
TEST(MemoryEager, AFailedStepWritesNothing) {
  const Tensor grad(Numbers({8}, 2));
  const Tensor rate(MakeTensor<float>({1}, {0.1f}));
  const std::string before = Bits(Numbers({8}, 1));
  ExpectSurvivesFailedAllocations([&]() -> absl::StatusOr<std::string> {
    Tensor w(Numbers({8}, 1));
    bool failed = false;
    try {
      eager::sgd_(w, rate, grad);
    } catch (const std::bad_alloc&) {
      failed = true;
    } catch (const OpError&) {
      failed = true;
    }
    SyStopFailingNew();  // What follows looks at the parameter.
    if (failed != (Bits(w.dense()) == before)) {
      return absl::InternalError(failed ? "written" : "not written");
    }
    if (failed) return absl::ResourceExhaustedError("");
    return Bits(w.dense());
  });
}

}  // namespace
}  // namespace switchyard

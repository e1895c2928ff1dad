// SPDX-License-Identifier: Apache-2.0
// Chains of launches of two kernels, add and next (x + 1), on float32.
#include "static_graph/executor/chains/form_chains.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/testing/matchers.h"
#include "phi/core/kernel_context.h"
#include "static_graph/executor/chains/elementwise_chain.h"
#include "static_graph/executor/frame/block_frame.h"
#include "static_graph/executor/memory_verifier.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Storage = TensorSlot::Storage;

// out = sum of the inputs, broadcast, + 1; fails if one of them is below 0.
absl::Status Next(phi::KernelContext& context) {
  const auto& out =
      static_cast<const DenseTensor&>(*context.outputs.elements()[0]);
  auto* const to = const_cast<float*>(out.data<float>());
  const int rank = out.rank();
  for (int64_t i = 0; i < out.numel(); ++i) {
    float sum = 1;
    for (size_t k = 0; k < context.inputs.elements().size(); ++k) {
      const auto& x =
          static_cast<const DenseTensor&>(*context.inputs.elements()[k]);
      int64_t rest = i, offset = 0;
      for (int axis = rank - 1; axis >= 0; --axis) {
        const int64_t index = rest % out.extent(axis);
        rest /= out.extent(axis);
        const int own = axis - (rank - x.rank());
        if (own >= 0 && x.extent(own) != 1) offset += index * x.strides()[own];
      }
      sum += x.data<float>()[offset];
    }
    if (sum < 1) return absl::InvalidArgumentError("x must not be negative");
    to[i] = sum;
  }
  return absl::OkStatus();
}

phi::KernelDef KernelOf(const char* op) {
  phi::KernelDef kernel = {};
  kernel.op = op;
  kernel.key = {&backend_cpu, DataLayout::kStrided, DataType::kFloat32};
  kernel.thread_invariant = true;
  kernel.keeps_layout = true;
  kernel.thunk = &Next;
  return kernel;
}

const phi::KernelDef kNext = KernelOf("next");
const Instruction kCall;

// A specialization by hand; memory is laid out one tensor after the other.
struct Made {
  TensorId Add(Shape shape, Storage storage, TensorId root = kNoTensor) {
    TensorSlot slot;
    slot.meta.dtype = DataType::kFloat32;
    slot.meta.shape = shape;
    slot.meta.strides = ContiguousStrides(shape);
    slot.storage = storage;
    slot.bytes = shape.numel() * 4;
    slot.root =
        root == kNoTensor ? static_cast<TensorId>(made.tensors.size()) : root;
    made.tensors.push_back(slot);
    return static_cast<TensorId>(made.tensors.size()) - 1;
  }
  TensorId Launch(std::vector<TensorId> inputs, Shape shape,
                  TensorId root = kNoTensor) {
    const TensorId out = Add(shape, Storage::kPlanned, root);
    Step step;
    step.kernel = &kNext;
    step.call = &kCall;
    step.place = Place::Cpu();
    step.input_segments = phi::ArgSegments(static_cast<int>(inputs.size()));
    step.output_segments = phi::ArgSegments(1);
    step.inputs = std::move(inputs);
    step.outputs = {out};
    made.steps.push_back(std::move(step));
    return out;
  }
  absl::Status Form() {
    ChainLimits limits;
    limits.min_bytes = 1;
    limits.block_bytes = 4 * 4 * 16;  // Some sixteen rows of a vector.
    return FormChains(&made, nullptr, limits);
  }
  // Runs the steps with x, which is tensor 0 and bound; returns the result.
  absl::StatusOr<DenseTensor> Run(const DenseTensor& x) {
    int64_t bytes = 0;
    for (TensorSlot& slot : made.tensors) {
      const TensorSlot& root = made.tensors[slot.root];
      slot.storage =
          slot.storage == Storage::kView ? slot.storage : root.storage;
      slot.offset = &slot == &root ? bytes : root.offset;
      if (&slot == &root) bytes += (slot.bytes + 63) / 64 * 64;
    }
    made.memory.push_back({Place::Cpu(), bytes});
    SY_RETURN_IF_ERROR(VerifyMemory(made));
    FrameContexts contexts;
    SY_ASSIGN_OR_RETURN(const auto frame,
                        BlockFrame::Make(made, {}, &contexts));
    frame->tensors().Bind(0, x);
    RunOptions options;
    SY_RETURN_IF_ERROR(frame->Run(options));
    return frame->tensors().dense(made.results[0]);
  }

  ShapeSpecialization made;
};

DenseTensor Filled(Shape shape) {
  DenseTensor x =
      *DenseTensor::Allocate(DataType::kFloat32, shape, CpuAllocator());
  for (int64_t i = 0; i < x.numel(); ++i) {
    x.mutable_data<float>()[i] = static_cast<float>(i % 50);
  }
  return x;
}

TEST(FormChainsTest, RunsBlocksOfEveryShape) {
  for (const Shape& shape : {Shape{1000}, Shape{3, 70}, Shape{5, 1, 33},
                             Shape{2, 3, 7, 2}, Shape{40, 2, 3}, Shape{17}}) {
    Made made;
    const TensorId x = made.Add(shape, Storage::kBound);
    const TensorId a = made.Launch({x, x}, shape);
    const TensorId b = made.Launch({a}, shape, a);  // In place.
    made.made.results = {made.Launch({b, x}, shape)};
    ASSERT_THAT(made.Form(), IsOk());
    ASSERT_EQ(made.made.steps.size(), 1);
    const ElementwiseChain& chain = *made.made.steps[0].chain;
    EXPECT_EQ(chain.members.size(), 3);
    ASSERT_EQ(chain.inner.size(), 2);
    EXPECT_EQ(chain.inner[0].offset, chain.inner[1].offset);
    EXPECT_LE(chain.scratch_bytes, 512);
    EXPECT_THAT(made.made.steps[0].inputs, ElementsAre(x));
    const DenseTensor values = Filled(shape);
    const auto out = made.Run(values);
    ASSERT_THAT(out, IsOk());
    for (int64_t i = 0; i < values.numel(); ++i) {
      ASSERT_EQ(out->data<float>()[i], 3 * values.data<float>()[i] + 3);
    }
  }
}

TEST(FormChainsTest, TakesBroadcastOperandsAndPassesSmallSteps) {
  Made made;
  const TensorId x = made.Add({64, 20}, Storage::kBound);
  const TensorId row = made.Add({20}, Storage::kView, x);  // Of no matter.
  const TensorId a = made.Launch({x}, {64, 20});
  Step view;
  view.kernel = &kNext;
  view.call = &kCall;
  view.inputs = {x};
  view.outputs = {row};
  made.made.steps.push_back(std::move(view));
  made.made.results = {made.Launch({a, row}, {64, 20})};
  ASSERT_THAT(made.Form(), IsOk());
  ASSERT_EQ(made.made.steps.size(), 2);
  EXPECT_THAT(made.made.steps[0].outputs, ElementsAre(row));
  EXPECT_THAT(made.made.steps[1].inputs, ElementsAre(x, row));
}

TEST(FormChainsTest, LeavesWhatBlocksWouldReadTooLate) {
  // The last launch writes over x, of which another one reads a view.
  Made made;
  const TensorId x = made.Add({40, 40}, Storage::kPlanned);
  const TensorId view = made.Add({40, 40}, Storage::kView, x);
  const TensorId a = made.Launch({x, view}, {40, 40});
  made.made.results = {made.Launch({x, a}, {40, 40}, x)};
  ASSERT_THAT(made.Form(), IsOk());
  ASSERT_EQ(made.made.steps.size(), 2);
  EXPECT_EQ(made.made.steps[0].chain, nullptr);
}

TEST(FormChainsTest, KeepsWhatOthersRead) {
  Made made;
  const TensorId x = made.Add({40, 40}, Storage::kBound);
  const TensorId a = made.Launch({x}, {40, 40});
  const TensorId b = made.Launch({a}, {40, 40});
  made.made.results = {b, a};
  ASSERT_THAT(made.Form(), IsOk());
  ASSERT_EQ(made.made.steps.size(), 1);
  EXPECT_THAT(made.made.steps[0].chain->inner, IsEmpty());
  EXPECT_THAT(made.made.steps[0].outputs, ElementsAre(a, b));
}

TEST(FormChainsTest, GivesTheErrorOfAMember) {
  Made made;
  const TensorId x = made.Add({300}, Storage::kBound);
  const TensorId a = made.Launch({x}, {300});
  made.made.results = {made.Launch({a}, {300})};
  ASSERT_THAT(made.Form(), IsOk());
  DenseTensor values = Filled({300});
  values.mutable_data<float>()[299] = -2;
  EXPECT_THAT(made.Run(values), StatusIs(absl::StatusCode::kInvalidArgument,
                                         "next: x must not be negative"));
}

}  // namespace
}  // namespace switchyard::static_graph

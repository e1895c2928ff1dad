// SPDX-License-Identifier: Apache-2.0
// Which parts of concatenations are planned in their results, and what the
// verifier says of parts that are elsewhere or overwritten.
#include "static_graph/executor/memory/concat_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "framework/device/cpu/cpu_context.h"
#include "framework/testing/matchers.h"
#include "phi/core/op_info.h"
#include "static_graph/executor/memory_verifier.h"
#include "static_graph/executor/tensor_memory.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using Storage = TensorSlot::Storage;

phi::KernelDef KernelOf(const char* op) {
  phi::KernelDef kernel = {};
  kernel.op = op;
  kernel.key = {&backend_cpu, DataLayout::kStrided, DataType::kFloat32};
  kernel.thread_invariant = true;
  return kernel;
}

phi::OpInfo OpOf(const char* name) {
  phi::OpInfo op = {};
  op.name = name;
  return op;
}

const phi::KernelDef kJoinKernel = KernelOf("concat");
const phi::KernelDef kNextKernel = KernelOf("next");
const phi::OpInfo kJoinOp = OpOf("concat");
const phi::OpInfo kNextOp = OpOf("next");

Instruction CallOf(const phi::OpInfo& op) {
  Instruction call;
  call.op = &op;
  return call;
}

const Instruction kJoin = CallOf(kJoinOp);
const Instruction kNext = CallOf(kNextOp);
const AttrRef kAxes[] = {0, 1, -1};

// Launches of float32 tensors; tensor 0 is bound.
struct Made {
  Made() { Add(Shape{1, 16}, Storage::kBound); }

  TensorId Add(Shape shape, Storage storage = Storage::kPlanned,
               TensorId root = kNoTensor, LayoutDescriptor layout = {}) {
    TensorSlot slot;
    slot.meta.dtype = DataType::kFloat32;
    slot.meta.shape = shape;
    slot.meta.layout = layout;
    slot.meta.strides = ContiguousStrides(shape);
    slot.storage = storage;
    slot.bytes = shape.numel() * 4;
    const auto id = static_cast<TensorId>(made.tensors.size());
    slot.root = root == kNoTensor ? id : made.tensors[root].root;
    made.tensors.push_back(slot);
    return id;
  }
  TensorId Launch(const phi::KernelDef& kernel, const Instruction& call,
                  std::vector<TensorId> inputs, TensorId out, int axis = 1) {
    Step step;
    step.kernel = &kernel;
    step.instruction = &call;
    step.call = &call;
    step.attrs = absl::MakeConstSpan(&kAxes[axis < 0 ? 2 : axis], 1);
    step.inputs = std::move(inputs);
    step.outputs = {out};
    made.steps.push_back(std::move(step));
    return out;
  }
  TensorId Next(std::vector<TensorId> inputs, Shape shape) {
    return Launch(kNextKernel, kNext, std::move(inputs), Add(shape));
  }
  // Written over `input`.
  TensorId Over(TensorId input) {
    return Launch(
        kNextKernel, kNext, {input},
        Add(made.tensors[input].meta.shape, Storage::kPlanned, input));
  }
  TensorId Join(std::vector<TensorId> inputs, Shape shape, int axis = 1) {
    return Launch(kJoinKernel, kJoin, std::move(inputs), Add(shape), axis);
  }
  // The parts that are in place, once memory is planned.
  std::vector<TensorId> Plan(std::vector<TensorId> results) {
    made.results = std::move(results);
    EXPECT_THAT(PlanTensorMemory(&made), IsOk());
    EXPECT_THAT(VerifyMemory(made), IsOk());
    std::vector<TensorId> parts;
    for (size_t i = 0; i < made.tensors.size(); ++i) {
      if (made.tensors[i].whole != kNoTensor) {
        parts.push_back(static_cast<TensorId>(i));
      }
    }
    return parts;
  }

  ShapeSpecialization made;
};

const Shape kPart = {1, 16};
const Shape kWhole = {1, 32};

TEST(PartOffsetsTest, AreThoseOfBytesThatLieTogether) {
  Made made;
  const TensorId a = made.Next({0}, kPart), b = made.Next({0}, kPart);
  made.Join({a, b}, kWhole);
  made.Join({a, b}, kWhole, -1);
  made.Join({a, b}, Shape{2, 16}, 0);
  const TensorId c = made.Next({0}, Shape{2, 16});
  made.Join({c, c}, Shape{2, 32}, 1);
  made.Join({c, c}, Shape{4, 16}, 0);
  const auto offsets = [&](size_t step) {
    return PartOffsets(made.made, made.made.steps[step]);
  };
  EXPECT_EQ(offsets(0), std::nullopt);  // No concatenation.
  EXPECT_THAT(offsets(2), Optional(ElementsAre(0, 64)));
  EXPECT_THAT(offsets(3), Optional(ElementsAre(0, 64)));
  EXPECT_THAT(offsets(4), Optional(ElementsAre(0, 64)));
  EXPECT_EQ(offsets(6), std::nullopt);
  EXPECT_THAT(offsets(7), Optional(ElementsAre(0, 128)));
}

TEST(PartOffsetsTest, FollowTheLayout) {
  const LayoutDescriptor blocks = *ParseLayoutDescriptor("aBcd8b");
  const LayoutDescriptor last = *ParseLayoutDescriptor("acdb");
  Made made;
  const auto join = [&](LayoutDescriptor layout, Shape part, Shape whole) {
    const TensorId a = made.Add(part, Storage::kPlanned, kNoTensor, layout);
    made.Launch(kJoinKernel, kJoin, {a, a},
                made.Add(whole, Storage::kPlanned, kNoTensor, layout));
    return PartOffsets(made.made, made.made.steps.back());
  };
  EXPECT_THAT(join(blocks, Shape{1, 8, 2, 2}, Shape{1, 16, 2, 2}),
              Optional(ElementsAre(0, 128)));
  EXPECT_EQ(join(blocks, Shape{2, 8, 2, 2}, Shape{2, 16, 2, 2}), std::nullopt);
  EXPECT_EQ(join(blocks, Shape{1, 4, 2, 2}, Shape{1, 8, 2, 2}), std::nullopt);
  EXPECT_EQ(join(last, Shape{1, 8, 2, 2}, Shape{1, 16, 2, 2}), std::nullopt);
  EXPECT_THAT(join(last, Shape{1, 8, 1, 1}, Shape{1, 16, 1, 1}),
              Optional(ElementsAre(0, 32)));
}

TEST(PartsInPlaceTest, LieInTheirWhole) {
  Made made;
  const TensorId a = made.Next({0}, kPart), b = made.Next({a}, kPart);
  const TensorId c = made.Join({a, b}, kWhole);
  const TensorId d = made.Next({0}, kWhole);
  const TensorId e = made.Join({c, d}, Shape{1, 64});
  const TensorId f = made.Next({e, a}, Shape{1});  // `a` is there still.
  EXPECT_THAT(made.Plan({f}), ElementsAre(a, b, c, d));
  const auto& tensors = made.made.tensors;
  EXPECT_EQ(tensors[a].offset, tensors[e].offset);
  EXPECT_EQ(tensors[b].offset, tensors[e].offset + 64);
  EXPECT_EQ(tensors[c].offset, tensors[e].offset);
  EXPECT_EQ(tensors[d].offset, tensors[e].offset + 128);
  EXPECT_EQ(made.made.memory[0].bytes, 256 + 64);
}

TEST(PartsInPlaceTest, LeaveOutWhatIsWrittenOrReadAfterwards) {
  {
    Made made;  // The part is written over after the concatenation.
    const TensorId a = made.Next({0}, kPart), b = made.Next({0}, kPart);
    const TensorId c = made.Join({a, b}, kWhole);
    const TensorId over = made.Over(a);
    const TensorId d = made.Next({c, over}, Shape{1});
    EXPECT_THAT(made.Plan({d}), ElementsAre(b));
  }
  {
    Made made;  // The whole is, and one of the parts is read.
    const TensorId a = made.Next({0}, kPart), b = made.Next({0}, kPart);
    const TensorId c = made.Join({a, b}, kWhole);
    const TensorId d = made.Next({made.Over(c), a}, Shape{1});
    EXPECT_THAT(made.Plan({d}), ElementsAre(b));
  }
  {
    Made made;  // Before it is written over, but after a whole around it.
    const TensorId a = made.Next({0}, kPart), b = made.Next({0}, kPart);
    const TensorId c = made.Join({a, b}, kWhole);
    const TensorId d = made.Next({0}, kWhole);
    const TensorId e = made.Join({c, d}, Shape{1, 64});
    const TensorId f = made.Next({made.Over(e), a}, Shape{1});
    EXPECT_THAT(made.Plan({f}), ElementsAre(a, b, d));
  }
  {
    Made made;  // A part is written over before, and twice in the whole.
    const TensorId a = made.Next({0}, kPart);
    const TensorId over = made.Over(a);
    const TensorId c = made.Join({over, over, 0}, Shape{1, 48});
    const TensorId d = made.Next({c}, Shape{1});
    EXPECT_THAT(made.Plan({d}), ElementsAre(a));
  }
  {
    Made made;  // Results are read at the end, and not planned if they leave.
    const TensorId a = made.Next({0}, kPart), b = made.Next({0}, kPart);
    const TensorId c = made.Join({a, b}, kWhole);
    const TensorId d = made.Over(c);
    EXPECT_THAT(made.Plan({d, b}), ElementsAre(a));
  }
  {
    Made made;  // Parts that leave the program themselves.
    const TensorId a = made.Next({0}, kPart), b = made.Next({0}, kPart);
    const TensorId c = made.Join({a, b}, kWhole);
    made.made.tensors[a].storage = Storage::kFresh;
    made.made.tensors[b].storage = Storage::kFresh;
    EXPECT_THAT(made.Plan({a, b, c}), IsEmpty());
  }
}

TEST(PartsInPlaceTest, LieInWhatLeavesTheProgram) {
  Made made;
  const TensorId a = made.Next({0}, kPart), b = made.Next({0}, kPart);
  const TensorId c = made.Join({a, b}, kWhole);
  const TensorId d = made.Next({c, a}, kWhole);
  const TensorId e = made.Join({c, d}, Shape{1, 64});
  made.made.tensors[e].storage = Storage::kFresh;
  for (int i = 0; i < 2; ++i) {  // Again, as for other extents.
    EXPECT_THAT(made.Plan({e}), ElementsAre(a, b, c, d));
    const auto& tensors = made.made.tensors;
    for (TensorId part : {a, b, c, d}) {
      EXPECT_EQ(tensors[part].storage, Storage::kFresh);
    }
    EXPECT_EQ(tensors[b].offset, 64);
    EXPECT_EQ(tensors[d].offset, 128);
    EXPECT_EQ(made.made.memory[0].bytes, 0);
  }
  // The verifier follows bytes there as in planned memory.
  made.made.tensors[d].offset = 64;
  EXPECT_THAT(VerifyMemory(made.made),
              StatusIs(absl::StatusCode::kInternal,
                       HasSubstr("step 3, next: tensor 3 must")));
  made.made.tensors[d].offset = 192;
  EXPECT_THAT(VerifyMemory(made.made),
              StatusIs(absl::StatusCode::kInternal,
                       HasSubstr("must lie in the memory of its place")));
}

TEST(PartsInPlaceTest, TakeNoMoreMemory) {
  // The whole would live from the first step on, beside what needs its room.
  Made made;
  const TensorId a = made.Next({0}, kPart);
  TensorId large = made.Next({0}, Shape{1, 1024});
  large = made.Next({large}, Shape{1, 1024});
  const TensorId b = made.Next({large}, kPart);
  const TensorId c = made.Join({a, b}, kWhole);
  const TensorId d = made.Next({c}, Shape{1});
  EXPECT_THAT(made.Plan({d}), ElementsAre(b));
  EXPECT_EQ(made.made.memory[0].bytes, 64 + 2 * 4096);
}

TEST(PartsInPlaceTest, AreVerified) {
  const auto planned = [](bool over) {
    Made made;
    const TensorId a = made.Next({0}, kPart), b = made.Next({0}, kPart);
    const TensorId c = made.Join({a, b}, kWhole);
    const TensorId d = made.Next({over ? made.Over(c) : c, a}, Shape{1});
    made.Plan({d});
    return std::move(made.made);
  };
  ShapeSpecialization made = planned(false);
  const auto refused = [](const char* text) {
    return StatusIs(absl::StatusCode::kInternal, HasSubstr(text));
  };
  // At another place than where it goes.
  std::swap(made.tensors[1].offset, made.tensors[2].offset);
  EXPECT_THAT(VerifyMemory(made), refused("step 2, concat: tensor 1 must"));
  // Not said to be a part.
  made = planned(false);
  made.tensors[2].whole = kNoTensor;
  EXPECT_THAT(VerifyMemory(made), refused("step 2, concat: tensor 2 must"));
  // Two at one place.
  made = planned(false);
  made.tensors[2].offset = made.tensors[1].offset;
  EXPECT_THAT(VerifyMemory(made), refused("step 2, concat: tensor 1 must"));
  // Read after its whole was written over.
  made = planned(true);
  ASSERT_EQ(made.tensors[1].whole, kNoTensor);
  made.tensors[1].whole = 3;
  made.tensors[1].offset = made.tensors[3].offset;
  EXPECT_THAT(VerifyMemory(made), refused("step 4, next: tensor 1 must"));
}

}  // namespace
}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/specialize/specialize_packing.h"

#include <memory>
#include <utility>
#include <vector>

#include "framework/testing/matchers.h"

namespace switchyard::static_graph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const phi::KernelDef kKernel = {};

// A specialization of one block of a program.
struct Made {
  TensorId Add(TensorSlot::Storage storage,
               PlanValue::Source source = PlanValue::Source::kComputed) {
    TensorSlot slot;
    slot.storage = storage;
    slot.source = source;
    slot.root = static_cast<TensorId>(made.tensors.size());
    made.tensors.push_back(slot);
    return slot.root;
  }
  TensorId AddState() {
    const TensorId state =
        Add(TensorSlot::Storage::kBound, PlanValue::Source::kState);
    made.tensors[state].index = static_cast<int>(program.states.size());
    program.states.emplace_back();
    return state;
  }
  TensorId AddFeed() {
    return Add(TensorSlot::Storage::kBound, PlanValue::Source::kFeed);
  }
  // A transform of `inputs`; its result.
  TensorId AddStep(
      std::vector<TensorId> inputs,
      TensorSlot::Storage storage = TensorSlot::Storage::kPlanned) {
    Step step;
    step.kernel = &kKernel;
    step.place = Place::Cpu();
    step.inputs = std::move(inputs);
    step.outputs = {Add(storage)};
    made.steps.push_back(std::move(step));
    return static_cast<TensorId>(made.tensors.size()) - 1;
  }
  void SetApart(TensorId result) {
    program.place = Place::Cpu();
    made.results = {result};
    SetPackingsApart(program, program.body, &made);
  }

  ProgramPlan program;
  ShapeSpecialization made;
};

TEST(SetPackingsApart, TakesWhatFollowsFromStatesAlone) {
  Made block;
  const TensorId weight = block.AddState();
  const TensorId image = block.AddFeed();
  const TensorId once = block.AddStep({weight});
  const TensorId twice = block.AddStep({once});
  const TensorId result = block.AddStep({twice, image});
  block.SetApart(result);
  EXPECT_THAT(block.made.steps, SizeIs(1));
  EXPECT_THAT(block.made.prepared, SizeIs(2));
  ASSERT_THAT(block.made.packings, SizeIs(1));
  const Packing& packing = block.made.packings[0];
  EXPECT_EQ(packing.packed, twice);
  EXPECT_THAT(packing.steps, ElementsAre(0, 1));
  EXPECT_THAT(packing.sources, ElementsAre(weight));
  EXPECT_EQ(packing.key, "state 0 0 0");
  EXPECT_EQ(block.made.tensors[twice].storage, TensorSlot::Storage::kPacked);
}

TEST(SetPackingsApart, LeavesWhatARunChanges) {
  // The second of three states is updated.
  for (const int read : {0, 1, 2}) {
    Made updated;
    TensorId states[3];
    for (TensorId& state : states) state = updated.AddState();
    const TensorId result = updated.AddStep({states[read]});
    updated.program.updates.emplace_back().state = 1;
    updated.SetApart(result);
    EXPECT_THAT(updated.made.steps, SizeIs(read == 1 ? 1 : 0));
    EXPECT_THAT(updated.made.packings, SizeIs(read == 1 ? 0 : 1));
  }

  // A step that writes what was computed does it in the run.
  Made written;
  const TensorId copy = written.AddStep({written.AddState()});
  const TensorId sum = written.AddStep({copy, written.AddFeed()});
  written.made.tensors[sum].root = copy;
  written.SetApart(sum);
  EXPECT_THAT(written.made.steps, SizeIs(2));
  EXPECT_THAT(written.made.packings, IsEmpty());

  // So may a block that captures it.
  Made captured;
  const TensorId read = captured.AddStep({captured.AddState()});
  const TensorId ends = captured.AddStep({captured.AddFeed()});
  captured.made.steps.back().captures = {{read}};
  captured.SetApart(ends);
  EXPECT_THAT(captured.made.steps, SizeIs(2));
}

TEST(SetPackingsApart, KnowsConstantsInTheBodyAlone) {
  for (const bool in_body : {true, false}) {
    Made block;
    block.program.place = Place::Cpu();
    const TensorId result =
        block.AddStep({block.Add(TensorSlot::Storage::kConstant)});
    block.made.results = {result};
    const Plan inner;
    SetPackingsApart(block.program, in_body ? block.program.body : inner,
                     &block.made);
    EXPECT_THAT(block.made.packings, SizeIs(in_body ? 1 : 0));
    EXPECT_THAT(block.made.steps, SizeIs(in_body ? 0 : 1));
  }
}

TEST(SetPackingsApart, KeepsAViewWhereItIsRead) {
  Made block;
  const TensorId view =
      block.AddStep({block.AddState()}, TensorSlot::Storage::kView);
  const TensorId copy = block.AddStep({view});
  const TensorId result = block.AddStep({view, copy, block.AddFeed()});
  block.SetApart(result);
  EXPECT_THAT(block.made.steps, SizeIs(2));
  EXPECT_THAT(block.made.prepared, SizeIs(2));
  ASSERT_THAT(block.made.packings, SizeIs(1));
  EXPECT_EQ(block.made.packings[0].packed, copy);
  EXPECT_EQ(block.made.tensors[view].storage, TensorSlot::Storage::kView);
}

}  // namespace
}  // namespace switchyard::static_graph

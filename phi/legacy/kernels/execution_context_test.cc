// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/kernels/execution_context.h"

#include "framework/device/cpu/cpu_context.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"

namespace switchyard::phi::fluid {
namespace {

constexpr LegacySlot kInputs[] = {
    {"X", 1}, {"Y", 0, -1, false, true}, {"Old", -1}};
constexpr LegacySlot kOutputs[] = {{"Out", 0}, {"Mask", 1, -1, false, true}};
constexpr LegacyAttr kAttrs[] = {{"axis", 1, AttrType::kInt},
                                 {"scale", 0, AttrType::kFloat}};
constexpr LegacyForm kForm = {"specimen", nullptr, kInputs, kOutputs,
                              kAttrs,     {},      {},      ""};

class ExecutionContextTest : public ::testing::Test {
 protected:
  const DenseTensor a_ = MakeTensor<float>({1}, {1});
  DenseTensor out_ = MakeTensor<float>({1}, {0});
  // Argument 0 (Y) is absent.
  const TensorBase* inputs_[2] = {nullptr, &a_};
  TensorBase* outputs_[2] = {&out_, nullptr};  // Mask is not wanted.
  const AttrRef attrs_[2] = {0.5f, -1};
  const KernelContext call_{CpuContext::kContexts.current(Place::Cpu()),
                            {inputs_, attrs_, outputs_}};
  const ExecutionContext context_{call_, kForm};
};

TEST_F(ExecutionContextTest, SlotsAreFoundByLegacyName) {
  EXPECT_EQ(context_.Input("Y"), nullptr);
  EXPECT_EQ(context_.Input("X"), &a_);
  EXPECT_EQ(context_.Output("Out"), &out_);
}

TEST_F(ExecutionContextTest, UnknownSlotsReadAsAbsent) {
  EXPECT_EQ(context_.Input("x"), nullptr);
  EXPECT_EQ(context_.Input("Old"), nullptr);
  EXPECT_EQ(context_.Output("X"), nullptr);
  EXPECT_TRUE(context_.MultiInput("x").empty());
  EXPECT_FALSE(context_.MultiOutput("X").any());
}

TEST_F(ExecutionContextTest, SaysWhichSlotsAreThere) {
  EXPECT_TRUE(context_.HasInput("X"));
  EXPECT_FALSE(context_.HasInput("Y"));
  EXPECT_EQ(context_.Output("Mask"), nullptr);
}

TEST_F(ExecutionContextTest, ListsAreReadBySlot) {
  const uint16_t inputs[] = {0, 0, 2};  // No Y, two X.
  const TensorBase* const both[] = {&a_, &a_};
  const uint16_t outputs[] = {0, 1, 3};
  TensorBase* const all[] = {&out_, nullptr, &out_};
  const KernelContext call(CpuContext::kContexts.current(Place::Cpu()),
                           {{both, {inputs, 2}}, attrs_, {all, {outputs, 2}}});
  const ExecutionContext context(call, kForm);
  EXPECT_EQ(context.MultiInput("X").size(), 2u);
  EXPECT_TRUE(context.MultiInput("Y").empty());
  EXPECT_EQ(&context.MultiInput("X")[1], &a_);
  EXPECT_EQ(context.MultiOutput("Mask").size(), 2u);
  EXPECT_EQ(context.MultiOutput("Mask")[0], nullptr);
  EXPECT_EQ(context.MultiOutput("Mask")[1], &out_);
}

TEST_F(ExecutionContextTest, OutputsOfLateShapesAreAllocated) {
  DenseTensor made;
  made.SetLod(std::make_shared<const LoD>(LoD{{{0, 1}}}));
  TensorBase* const outputs[] = {&made, nullptr};
  const KernelContext call(CpuContext::kContexts.current(Place::Cpu()),
                           {inputs_, attrs_, outputs});
  const ExecutionContext context(call, kForm);
  ASSERT_THAT(context.Allocate("Out", DataType::kInt32, Shape({2, 3})), IsOk());
  EXPECT_TRUE(made.allocated());
  EXPECT_EQ(made.shape(), Shape({2, 3}));
  EXPECT_EQ(made.lod(), nullptr);  // Those of an earlier run are gone.
  EXPECT_THAT(context.Allocate("Mask", DataType::kInt32, Shape({2})), IsOk());
}

TEST_F(ExecutionContextTest, SequencesFitTheirTensor) {
  DenseTensor rows = MakeTensor<float>({3, 1}, {1, 2, 3});
  const auto sequences = [&] {
    return ExecutionContext::SequencesOf("x", rows).status();
  };
  EXPECT_THAT(sequences(), StatusIs(absl::StatusCode::kInvalidArgument,
                                    "x must be of sequences (with a LoD), got "
                                    "[3, 1] without"));
  rows.SetLod(std::make_shared<const LoD>(LoD{{{0, 2}}}));
  EXPECT_THAT(sequences(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       testing::StartsWith("x: lod must be of offsets that")));
  rows.SetLod(std::make_shared<const LoD>(LoD{{{0, 2, 3}}}));
  EXPECT_THAT(sequences(), IsOk());
}

TEST_F(ExecutionContextTest, OutputsGetSequences) {
  context_.SetLod("Out", LoD{{{0, 1}}});
  context_.SetLod("Mask", LoD{{{0, 1}}});
  ASSERT_NE(out_.lod(), nullptr);
  EXPECT_EQ(out_.lod()->offsets, (LoD{{{0, 1}}}.offsets));
  context_.ShareLod("X", "Out");  // X has none.
  EXPECT_EQ(out_.lod(), nullptr);
}

TEST_F(ExecutionContextTest, AttributesAreFoundByLegacyName) {
  EXPECT_THAT(context_.Attr<int>("axis"), IsOkAndHolds(-1));
  EXPECT_THAT(context_.Attr<float>("scale"), IsOkAndHolds(0.5f));
  EXPECT_THAT(context_.Attr<int>("scale"),
              StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(context_.Attr<int>("Axis"),
              StatusIs(absl::StatusCode::kInternal));
}

}  // namespace
}  // namespace switchyard::phi::fluid

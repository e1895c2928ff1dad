// SPDX-License-Identifier: Apache-2.0
// The guests run by both executors: a program of legacy operators under a
// policy that admits legacy kernels only, against the same calls one by one.
#include <memory>

#include "eager/legacy/run_legacy_op.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/environment.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/program/executable.h"
#include "static_graph/translate/testing.h"
#include "static_graph/translate/translator.h"

namespace switchyard {
namespace {

constexpr int kLegacyInt64 = 3;

// ids [-1, 1] -> lookup_table w [4, 3] -> elementwise_add b [-1] at axis 0 ->
// softmax, fetched with the embedded rows.
translate::ProgramDesc Program() {
  translate::ProgramDesc program;
  translate::BlockDesc* block = program.add_blocks();
  block->set_parent_idx(-1);
  translate::DenseTensorDesc* ids =
      translate::AddVariable(block, "ids", {-1, 1})
          ->mutable_type()
          ->mutable_dense_tensor();
  ids->mutable_tensor()->set_data_type(kLegacyInt64);
  ids->set_lod_level(1);
  translate::AddVariable(block, "b", {-1});
  translate::AddVariable(block, "w", {4, 3}, /*persistable=*/true);
  // Sequences of which a description says nothing would be handed on by an
  // operator that is no guest.
  translate::AddVariable(block, "rows", {-1, 3})
      ->mutable_type()
      ->mutable_dense_tensor()
      ->set_lod_level(1);
  for (const char* name : {"sum", "prob"}) {
    translate::AddVariable(block, name, {-1, 3});
  }
  const char* feeds[] = {"ids", "b"};
  const char* fetches[] = {"rows", "prob"};
  for (int i = 0; i < 2; ++i) {
    translate::SetInt(translate::AddOperator(block, "feed", {{"X", "feed"}},
                                             {{"Out", feeds[i]}}),
                      "col", i);
  }
  translate::AddOperator(block, "lookup_table", {{"W", "w"}, {"Ids", "ids"}},
                         {{"Out", "rows"}});
  translate::SetInt(
      translate::AddOperator(block, "elementwise_add",
                             {{"X", "rows"}, {"Y", "b"}}, {{"Out", "sum"}}),
      "axis", 0);
  translate::AddOperator(block, "softmax", {{"X", "sum"}}, {{"Out", "prob"}});
  for (int i = 0; i < 2; ++i) {
    translate::SetInt(
        translate::AddOperator(block, "fetch", {{"X", fetches[i]}},
                               {{"Out", "fetch"}}),
        "col", i);
  }
  return program;
}

class GuestsTest : public ::testing::Test {
 protected:
  GuestsTest() {
    policy_.origin = phi::KernelOrigin::kFluid;
    ids_ = MakeTensor<int64_t>({3, 1}, {3, 0, 3});
    ids_.SetLod(std::make_shared<const LoD>(LoD{{{0, 1, 3}}}));
  }

  // {rows, prob}, by the program.
  absl::StatusOr<std::vector<static_graph::Fetch>> RunStatic() {
    static_graph::ir::Context context;
    SY_RETURN_IF_ERROR(static_graph::RegisterDialects(
        &context, static_graph::AllDialectOps()));
    SY_ASSIGN_OR_RETURN(
        const static_graph::TranslatedProgram translated,
        static_graph::TranslateProgram(Program(), "guests", &context));
    static_graph::CompileOptions options;
    options.lowering.policy = policy_;
    SY_ASSIGN_OR_RETURN(
        const std::shared_ptr<const static_graph::Executable> program,
        static_graph::Executable::Compile(
            translated.program, phi::KernelTables::Current(), options));
    static_graph::State state;
    SY_RETURN_IF_ERROR(state.Set("w", w_));
    return program->Run({{"ids", ids_}, {"b", b_}}, &state);
  }

  // Runs the same operators call by call.
  absl::StatusOr<std::vector<DenseTensor>> RunEager() {
    const phi::dispatch::PolicyScope scope(policy_);
    SY_ASSIGN_OR_RETURN(
        const auto rows,
        eager::RunLegacyOp(
            "lookup_table",
            {{"W", {eager::Tensor(w_)}}, {"Ids", {eager::Tensor(ids_)}}}, {}));
    SY_ASSIGN_OR_RETURN(
        const auto sum,
        eager::RunLegacyOp("elementwise_add",
                           {{"X", rows[0].tensors}, {"Y", {eager::Tensor(b_)}}},
                           {{"axis", Attribute(AttrRef(0))}}));
    SY_ASSIGN_OR_RETURN(
        const auto prob,
        eager::RunLegacyOp("softmax", {{"X", sum[0].tensors}}, {}));
    return std::vector<DenseTensor>{rows[0].tensors[0].dense(),
                                    prob[0].tensors[0].dense()};
  }

  phi::selection::Policy policy_;
  DenseTensor ids_;
  const DenseTensor w_ =
      MakeTensor<float>({4, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12});
  const DenseTensor b_ = MakeTensor<float>({3}, {0.5f, -1, 2});
};

TEST_F(GuestsTest, BothExecutorsYieldTheSameBits) {
  const auto fetched = RunStatic();
  ASSERT_THAT(fetched, IsOk());
  const auto eager = RunEager();
  ASSERT_THAT(eager, IsOk());
  ASSERT_EQ(fetched->size(), 2u);
  EXPECT_TRUE(TensorsIdentical((*fetched)[0].tensor, (*eager)[0]));
  EXPECT_TRUE(TensorsIdentical((*fetched)[1].tensor, (*eager)[1]));
}

TEST_F(GuestsTest, SequencesPassThroughBoth) {
  const auto fetched = RunStatic();
  ASSERT_THAT(fetched, IsOk());
  ASSERT_NE((*fetched)[0].tensor.lod(), nullptr);
  EXPECT_EQ((*fetched)[0].tensor.lod()->offsets, ids_.lod()->offsets);
  const auto eager = RunEager();
  ASSERT_THAT(eager, IsOk());
  ASSERT_NE((*eager)[0].lod(), nullptr);
  EXPECT_EQ((*eager)[0].lod()->offsets, ids_.lod()->offsets);
}

TEST_F(GuestsTest, IndicesAreCheckedByBoth) {
  ids_ = MakeTensor<int64_t>({3, 1}, {0, 4, 0});
  EXPECT_THAT(RunStatic(), StatusIs(absl::StatusCode::kOutOfRange));
  EXPECT_THAT(RunEager(), StatusIs(absl::StatusCode::kOutOfRange));
}

}  // namespace
}  // namespace switchyard

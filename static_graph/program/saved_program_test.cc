// SPDX-License-Identifier: Apache-2.0
// Saved programs, and what is done to programs before they are saved.
#include "static_graph/program/saved_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/passes/constant_folding.h"
#include "static_graph/program/executable.h"
#include "static_graph/program/export_inference.h"
#include "static_graph/program/fold_operation.h"
#include "static_graph/program/section_file.h"

namespace switchyard::static_graph {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ToyContext;
using testing::ToyKernels;
using testing::ToyOp;

constexpr char kTraining[] = R"(program @train {
  ^entry(
      %x: feed "x" tensor<float32[2]>,
      %label: feed "label" tensor<float32[2]>,
      %w: state "w" tensor<float32[2]>,
      %rate: state "rate" tensor<float32[1]>):
    %0 = op.multiply(%x, %w) : tensor<float32[2]>
    %1 = op.add(%0, %label) : tensor<float32[2]>
    %2 = op.sgd_(%w, %rate, %1) : tensor<float32[2]>
    builtin.return("prediction" = %0, "loss" = %1) state("w" = %2)
}
)";

class SavedProgramTest : public ::testing::Test {
 protected:
  SavedProgramTest() {
    EXPECT_THAT(state_.Set("w", MakeTensor<float>({2}, {3, 4})), IsOk());
    EXPECT_THAT(state_.Set("unused", MakeTensor<float>({1}, {9})), IsOk());
    EXPECT_THAT(state_.Set("rate", MakeTensor<float>({1}, {0.5})), IsOk());
  }
  ir::Program Parse(std::string_view text) {
    absl::StatusOr<ir::Program> program = ir::Parse(context_.get(), text);
    EXPECT_THAT(program, IsOk());
    return *std::move(program);
  }

  std::unique_ptr<ir::Context> context_ = ToyContext();
  State state_;
};

TEST_F(SavedProgramTest, LoadsWhatWasSaved) {
  const std::string path = ::testing::TempDir() + "/train.syprog";
  const ir::Program program = Parse(kTraining);
  ASSERT_THAT(SaveProgram(path, program, state_), IsOk());
  // Another image knows nothing of this context.
  const std::unique_ptr<ir::Context> context = ToyContext();
  absl::StatusOr<SavedProgram> saved = LoadProgram(context.get(), path);
  ASSERT_THAT(saved, IsOk());
  EXPECT_EQ(ir::Print(saved->program), kTraining);
  EXPECT_EQ(saved->state.entries().size(), 2u);
  EXPECT_THAT(ToVector<float>(*saved->state.Find("w")), ElementsAre(3, 4));
  const auto compiled = Executable::Compile(saved->program, ToyKernels());
  ASSERT_THAT(compiled, IsOk());
  ASSERT_THAT((*compiled)->Run({{"x", MakeTensor<float>({2}, {1, 1})},
                                {"label", MakeTensor<float>({2}, {1, 0})}},
                               &saved->state),
              IsOk());
  EXPECT_THAT(ToVector<float>(*saved->state.Find("w")), ElementsAre(1, 2));
  EXPECT_THAT(ToVector<float>(*state_.Find("w")), ElementsAre(3, 4));
}

TEST_F(SavedProgramTest, KeepsWhatIsRelaxed) {
  const ir::Program program = Parse(kTraining);
  const auto loaded = [&](const SaveOptions& options) {
    const std::string bytes = *SerializeProgram(program, state_, options);
    const auto saved = DeserializeProgram(context_.get(), bytes);
    EXPECT_THAT(saved, IsOk());
    return saved->relaxed;
  };
  EXPECT_EQ(loaded({}), RelaxedChoices());
  SaveOptions options;
  ASSERT_THAT(ApplyChoices("denormals=flush,fusion=relaxed", &options.relaxed),
              IsOk());
  EXPECT_EQ(loaded(options), options.relaxed);
}

TEST_F(SavedProgramTest, NoticesDamage) {
  const std::string bytes = *SerializeProgram(Parse(kTraining), state_);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    ASSERT_THAT(DeserializeProgram(context_.get(), damaged),
                StatusIs(absl::StatusCode::kDataLoss))
        << bit;
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_THAT(DeserializeProgram(context_.get(), bytes.substr(0, size)),
                StatusIs(absl::StatusCode::kDataLoss))
        << size;
  }
  std::mt19937 random(5);
  for (int i = 0; i < 10000; ++i) {
    std::string damaged = bytes;
    for (uint32_t flips = 1 + random() % 4; flips > 0; --flips) {
      damaged[random() % damaged.size()] ^=
          static_cast<char>(1 + random() % 255);
    }
    if (damaged == bytes) continue;
    ASSERT_FALSE(DeserializeProgram(context_.get(), damaged).ok());
  }
}

// A file with good checksums that nobody wrote by SaveProgram.
TEST_F(SavedProgramTest, RefusesBoolsThatAreNone) {
  const ir::Program program = Parse(R"(program @p {
  ^entry(%flags: state "flags" tensor<bool[3]>):
    builtin.return("out" = %flags)
}
)");
  State state;
  ASSERT_THAT(state.Set("flags", MakeTensor<bool>({3}, {true, false, true})),
              IsOk());
  const std::string bytes = *SerializeProgram(program, state);
  ASSERT_THAT(DeserializeProgram(context_.get(), bytes), IsOk());
  std::vector<Section> sections = *DecodeSections(bytes);
  // The elements are the last bytes of the last section.
  sections.back().bytes.back() = 2;
  EXPECT_THAT(DeserializeProgram(context_.get(), EncodeSections(sections)),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("the state is malformed")));
}

TEST_F(SavedProgramTest, NamesMissingStates) {
  State empty;
  EXPECT_THAT(SerializeProgram(Parse(kTraining), empty),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("train: state w must be "
                                 "tensor<float32[2]>, got none")));
  EXPECT_THAT(LoadProgram(context_.get(), "/nowhere"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere")));
}

TEST_F(SavedProgramTest, RefusesAnotherVersionOfAnOperator) {
  const std::string bytes = *SerializeProgram(Parse(kTraining), state_);
  phi::OpInfo changed = *ToyOp("add").info;
  changed.version = 2;
  DialectOp add = ToyOp("add");
  add.info = &changed;
  ir::Context context;
  ASSERT_THAT(RegisterDialects(&context, {&add}), IsOk());
  ASSERT_THAT(RegisterDialects(&context, testing::ToyOps()), IsOk());
  EXPECT_THAT(DeserializeProgram(&context, bytes),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "add: the program has version 1 of the operator, this "
                       "image version 2 and no rules to upgrade it"));
  // An older image does not know what the newer version means.
  changed.version = 0;
  EXPECT_THAT(DeserializeProgram(&context, bytes),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "add: the program has version 1 of the operator, this "
                       "image version 0, which is older"));
  ir::Context bare;
  EXPECT_THAT(DeserializeProgram(&bare, bytes),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("add")));
}

// The operator `bias` as an older image had it: without its input `b` and its
// attribute `fresh`, with a narrower `wide`, and with a function's name and its
// numbers each by itself.
TEST_F(SavedProgramTest, UpgradesOlderOperators) {
  static constexpr phi::AttrInfo kOldAttrs[] = {{"act", AttrType::kString},
                                                {"alpha", AttrType::kFloat},
                                                {"beta", AttrType::kFloat},
                                                {"wide", AttrType::kFloat}};
  static constexpr phi::AttrInfo kNewAttrs[] = {{"act", AttrType::kPostOps},
                                                {"fresh", AttrType::kBool},
                                                {"wide", AttrType::kDouble}};
  static constexpr OpUpgrade kUpgrades[] = {
      {2, OpUpgrade::Kind::kAddInput, "b"},
      {3, OpUpgrade::Kind::kConvertAttr, "wide"},
      {3, OpUpgrade::Kind::kAddAttr, "fresh", AttrRef(true)},
      {3, OpUpgrade::Kind::kJoinPostOps, "act", {}, {"act", "alpha", "beta"}}};
  phi::OpInfo old_info = *ToyOp("bias").info;
  old_info.inputs = old_info.inputs.subspan(0, 1);
  old_info.attrs = kOldAttrs;
  DialectOp old_bias = {&old_info};
  phi::OpInfo info = *ToyOp("bias").info;
  info.attrs = kNewAttrs;
  info.version = 3;
  DialectOp bias = {&info};
  bias.upgrades = kUpgrades;
  ir::Context older;
  ASSERT_THAT(RegisterDialects(&older, {&old_bias}), IsOk());
  const auto program = ir::Parse(&older, R"(program @p {
  ^entry(%x: feed "x" tensor<float32[2]>):
    %0 = op.bias(%x) {act = "leaky_relu", alpha = 0.25, beta = 9.0, wide = 0.5} : tensor<float32[2]>
    %1 = op.bias(%0) {act = "", alpha = 1.0, beta = 0.0, wide = 0.5} : tensor<float32[2]>
    builtin.return("out" = %1)
}
)");
  ASSERT_THAT(program, IsOk());
  const std::string bytes = *SerializeProgram(*program, State());
  ir::Context context;
  ASSERT_THAT(RegisterDialects(&context, {&bias}), IsOk());
  const auto loaded = DeserializeProgram(&context, bytes);
  ASSERT_THAT(loaded, IsOk());
  EXPECT_THAT(ir::Print(loaded->program),
              AllOf(HasSubstr("op.bias(%x) {act = post_ops[leaky_relu(0.25)], "
                              "fresh = true, operand_segments = int32[1, 0], "
                              "wide = 0.5 : float64}"),
                    HasSubstr("op.bias(%0) {act = post_ops[], fresh = true")));
  // A file that is saved now is of version 3 and loads as it is.
  const auto again =
      DeserializeProgram(&context, *SerializeProgram(loaded->program, State()));
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(ir::Print(again->program), ir::Print(loaded->program));
}

TEST_F(SavedProgramTest, ExportsWithoutTheTrainingPart) {
  const absl::StatusOr<ir::Program> exported =
      ExportInference(Parse(kTraining), {"prediction"});
  ASSERT_THAT(exported, IsOk());
  EXPECT_EQ(ir::Print(*exported), R"(program @train {
  ^entry(%x: feed "x" tensor<float32[2]>, %w: state "w" tensor<float32[2]>):
    %0 = op.multiply(%x, %w) : tensor<float32[2]>
    builtin.return("prediction" = %0)
}
)");
  const auto compiled = Executable::Compile(*exported, ToyKernels());
  ASSERT_THAT(compiled, IsOk());
  const auto fetches =
      (*compiled)->Run({{"x", MakeTensor<float>({2}, {1, 2})}}, &state_);
  ASSERT_THAT(fetches, IsOk());
  EXPECT_THAT(ToVector<float>((*fetches)[0].tensor), ElementsAre(3, 8));
  EXPECT_THAT(ExportInference(Parse(kTraining), {"softmax"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "train: fetch must be one of prediction, loss, got "
                       "softmax"));
}

TEST_F(SavedProgramTest, FoldsConstantsWithTheKernels) {
  ir::Program program = Parse(R"(program @p {
  ^entry(%x: feed "x" tensor<float32[1]>):
    %0 = builtin.constant() {value = dense<float32[1]>[2.0]} : tensor<float32[1]>
    %1 = op.add(%0, %0) : tensor<float32[1]>
    %2 = op.multiply(%x, %1) : tensor<float32[1]>
    builtin.return("out" = %2)
}
)");
  ConstantFolding folding(FoldWithKernels(context_.get(), ToyKernels()));
  EXPECT_THAT(folding.Run(program), IsOkAndHolds(true));
  EXPECT_THAT(ir::Print(program), HasSubstr("dense<float32[1]>[4.0]"));
  EXPECT_THAT(ir::Print(program), Not(HasSubstr("op.add")));
}

}  // namespace
}  // namespace switchyard::static_graph

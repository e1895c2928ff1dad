// SPDX-License-Identifier: Apache-2.0
// LoadModel over toy operators. Real models of every form are loaded from
// Python in tests/paddle_programs, which calls the same function.
#include "static_graph/model/load_model.h"

#include <filesystem>
#include <fstream>

#include "framework/base/file.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/program/saved_program.h"
#include "static_graph/translate/testing.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ToyContext;
using testing::ToyKernels;
using testing::ToyOps;

// x [-1, 2] -> relu -> out, fetched. With `updates`, w [2] becomes relu(w).
std::string Description(bool updates = false) {
  translate::ProgramDesc program;
  translate::BlockDesc* const block = translate::AddBlock(&program, -1);
  translate::AddVariable(block, "x", {-1, 2});
  translate::AddVariable(block, "out", {-1, 2});
  translate::AddOperator(block, "relu", {{"X", "x"}}, {{"Out", "out"}});
  if (updates) {
    translate::AddVariable(block, "w", {2}, /*persistable=*/true);
    translate::AddOperator(block, "relu", {{"X", "w"}}, {{"Out", "w"}});
  }
  return program.SerializeAsString();
}

// Only w [2] becomes relu(w).
std::string Startup() {
  translate::ProgramDesc program;
  translate::BlockDesc* const block = translate::AddBlock(&program, -1);
  translate::AddVariable(block, "w", {2}, /*persistable=*/true);
  translate::AddOperator(block, "relu", {{"X", "w"}}, {{"Out", "w"}});
  return program.SerializeAsString();
}

constexpr char kSaved[] = R"(program @saved {
  ^entry(%x: feed "x" tensor<float32[2]>, %w: state "w" tensor<float32[2]>):
    %0 = op.multiply(%x, %w) : tensor<float32[2]>
    builtin.return("out" = %0)
}
)";

// The bytes of a saved program that multiplies by w, 3 and 4.
std::string SavedBytes(const SaveOptions& options = {}) {
  const std::unique_ptr<ir::Context> context = ToyContext();
  State state;
  EXPECT_THAT(state.Set("w", MakeTensor<float>({2}, {3, 4})), IsOk());
  const auto program = ir::Parse(context.get(), kSaved);
  EXPECT_THAT(program, IsOk());
  auto bytes = SerializeProgram(*program, state, options);
  EXPECT_THAT(bytes, IsOk());
  return *std::move(bytes);
}

class LoadModelTest : public ::testing::Test {
 protected:
  LoadModelTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = ::testing::TempDir() + "/load_" + test->name();
    std::filesystem::create_directories(folder_);
    options_.kernels = &ToyKernels();
  }
  std::string Write(const std::string& name, const std::string& bytes) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  absl::StatusOr<LoadedModel> Load(const std::string& path) {
    return LoadModel(ToyOps(), path, options_);
  }
  static std::vector<float> Run(LoadedModel* model, DenseTensor x) {
    const auto fetches =
        model->main.executable->Run({{"x", std::move(x)}}, &model->state);
    EXPECT_THAT(fetches, IsOk());
    return ToVector<float>((*fetches)[0].tensor);
  }

  std::string folder_;
  LoadOptions options_;
};

TEST_F(LoadModelTest, ImportsADescription) {
  std::vector<std::string> stages;
  options_.at_stage = [&](std::string_view stage, const ir::Program& program) {
    stages.emplace_back(stage);
    EXPECT_EQ(program.name(), "main");
  };
  auto model = Load(Write("__model__", Description()));
  ASSERT_THAT(model, IsOk());
  EXPECT_THAT(Run(&*model, MakeTensor<float>({1, 2}, {-1, 2})),
              ElementsAre(0, 2));
  EXPECT_FALSE(model->startup.has_value());
  EXPECT_FALSE(model->needs_startup);
  EXPECT_EQ(model->warning, "");
  // Nothing is trained, so the relaxed passes ran too.
  EXPECT_EQ(model->options.lowering.relaxed.fusion, Fusion::kRelaxed);
  ASSERT_GT(stages.size(), 2u);
  EXPECT_EQ(stages[0], "imported");
  EXPECT_EQ(stages[1], "to_value_form");
  EXPECT_THAT(stages, ::testing::Contains("linear_fusion"));
}

TEST_F(LoadModelTest, OptionsChangeWhatIsRelaxed) {
  const std::string path = Write("__model__", Description());
  options_.relaxed = "exact,denormals=flush";
  options_.without = {"identity_elimination"};
  std::vector<std::string> stages;
  options_.at_stage = [&](std::string_view stage, const ir::Program&) {
    stages.emplace_back(stage);
  };
  auto model = Load(path);
  ASSERT_THAT(model, IsOk());
  EXPECT_EQ(ToString(model->options.lowering.relaxed), "denormals=flush");
  EXPECT_THAT(stages, ::testing::Not(::testing::Contains("linear_fusion")));
  EXPECT_THAT(stages,
              ::testing::Not(::testing::Contains("identity_elimination")));
  options_.without = {"no_such_pass"};
  const absl::Status unknown = Load(path).status();
  EXPECT_THAT(unknown, StatusIs(absl::StatusCode::kNotFound,
                                HasSubstr("pass must be one of")));
  EXPECT_FALSE(IsMissingFile(unknown));
}

TEST_F(LoadModelTest, WrongChoicesAreReportedBeforeFilesAreRead) {
  options_.relaxed = "fusion=much";
  EXPECT_THAT(Load(folder_ + "/absent.pdmodel"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("fusion must be")));
}

TEST_F(LoadModelTest, AProgramThatUpdatesStatesStaysExact) {
  const std::string path = Write("__model__", Description(/*updates=*/true));
  Write("w", translate::FloatStream({2}, {-1, 3}));
  auto model = Load(path);
  ASSERT_THAT(model, IsOk());
  EXPECT_EQ(model->options.lowering.relaxed, RelaxedChoices());
  EXPECT_THAT(ToVector<float>(*model->state.Find("w")), ElementsAre(-1, 3));
  Run(&*model, MakeTensor<float>({1, 2}, {-1, 2}));
  EXPECT_THAT(ToVector<float>(*model->state.Find("w")), ElementsAre(0, 3));
  options_.relaxed = "fusion=relaxed";
  EXPECT_THAT(Load(path),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("relaxed: fusion must be exact in a program "
                                 "that updates states")));
}

TEST_F(LoadModelTest, ATrainingProgramBringsItsStartup) {
  Write("main.pdmodel", Description(/*updates=*/true));
  Write("startup.pdmodel", Startup());
  auto model = Load(folder_);
  ASSERT_THAT(model, IsOk());
  EXPECT_TRUE(model->needs_startup);
  ASSERT_TRUE(model->startup.has_value());
  EXPECT_THAT(model->startup->executable->Run({}, &model->state), IsOk());
  EXPECT_EQ(model->options.lowering.relaxed, RelaxedChoices());
}

TEST_F(LoadModelTest, ReadsASavedProgram) {
  auto model = Load(Write("model.sy", SavedBytes()));
  ASSERT_THAT(model, IsOk());
  EXPECT_EQ(ir::Print(model->main.graph), kSaved);
  EXPECT_THAT(Run(&*model, MakeTensor<float>({2}, {1, 2})), ElementsAre(3, 8));
  options_.relaxed = "fusion=relaxed";
  EXPECT_THAT(
      Load(folder_ + "/model.sy"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("relaxed: fusion and precision must be as the program "
                         "was saved with, exact, got fusion=relaxed")));
  options_.relaxed = "denormals=flush";
  EXPECT_THAT(Load(folder_ + "/model.sy"), IsOk());
}

TEST_F(LoadModelTest, OtherKernelsThanThoseLockedAreAWarningOrAnError) {
  const KernelLock lock = {{"multiply", "multiply_of_another_build", {}}};
  SaveOptions saved;
  saved.lock = &lock;
  const std::string path = Write("locked.sy", SavedBytes(saved));
  auto model = Load(path);
  ASSERT_THAT(model, IsOk());
  EXPECT_THAT(model->warning,
              ::testing::StartsWith("load: " + path +
                                    ": kernels are not those that were "
                                    "locked:\n  call 0, multiply: "
                                    "multiply_of_another_build was locked"));
  options_.strict_kernels = true;
  EXPECT_THAT(Load(path), StatusIs(absl::StatusCode::kFailedPrecondition,
                                   HasSubstr("multiply_of_another_build")));
  const auto same = model->main.executable->Kernels();
  ASSERT_THAT(same, IsOk());
  saved.lock = &*same;
  const auto again = Load(Write("same.sy", SavedBytes(saved)));
  ASSERT_THAT(again, IsOk());
  EXPECT_THAT(again->warning, IsEmpty());
}

TEST_F(LoadModelTest, ReadsBytes) {
  auto model = LoadModelFromBytes(ToyOps(), SavedBytes(), "", options_);
  ASSERT_THAT(model, IsOk());
  EXPECT_THAT(Run(&*model, MakeTensor<float>({2}, {1, 2})), ElementsAre(3, 8));
  const std::string weights = translate::FloatStream({2}, {-1, 3});
  auto imported =
      LoadModelFromBytes(ToyOps(), Description(true), weights, options_);
  ASSERT_THAT(imported, IsOk());
  EXPECT_THAT(ToVector<float>(*imported->state.Find("w")), ElementsAre(-1, 3));
}

TEST_F(LoadModelTest, ReportsBytesThatAreNone) {
  const std::string weights = translate::FloatStream({2}, {-1, 3});
  EXPECT_THAT(LoadModelFromBytes(ToyOps(), SavedBytes(), weights, options_),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("weights must be empty")));
  EXPECT_THAT(
      LoadModelFromBytes(ToyOps(), Description(true), "", options_),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("weights: ")));
  EXPECT_THAT(LoadModelFromBytes(ToyOps(), "{", "", options_),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::StartsWith("program: ")));
  EXPECT_THAT(LoadModelFromBytes(ToyOps(), "not a program", "", options_),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("13 bytes are not a program description")));
  options_.weights = "elsewhere";
  EXPECT_THAT(LoadModelFromBytes(ToyOps(), SavedBytes(), "", options_),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("weights must be bytes")));
}

TEST_F(LoadModelTest, SaysWhichFileIsMissing) {
  const absl::Status absent = Load(folder_ + "/absent.pdmodel").status();
  EXPECT_TRUE(IsMissingFile(absent)) << absent;
  Write("__model__", Description(/*updates=*/true));
  const absl::Status weights = Load(folder_).status();
  EXPECT_TRUE(IsMissingFile(weights)) << weights;
  EXPECT_THAT(weights, StatusIs(absl::StatusCode::kNotFound, HasSubstr("/w")));
}

}  // namespace
}  // namespace switchyard::static_graph

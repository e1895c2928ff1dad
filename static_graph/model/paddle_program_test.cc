// SPDX-License-Identifier: Apache-2.0
#include "static_graph/model/paddle_program.h"

#include <filesystem>
#include <fstream>

#include "framework/base/file.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/translate/testing.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;

const std::vector<float> kWeights = {1, 2, 3, 4, 5, 6};
const std::vector<float> kBias = {7, 8, 9};

class PaddleProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(RegisterDialects(&context_, LoadableOps()), IsOk());
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "/" + test->name();
    std::filesystem::create_directories(folder_);
  }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
  }
  void WriteProgram(const std::string& name) const {
    Write(name, translate::SmallProgram().SerializeAsString());
  }
  absl::StatusOr<LoadedProgram> Load(const std::string& program = "",
                                     const std::string& weights = "") {
    return LoadPaddleProgram(&context_, folder_ + program,
                             weights.empty() ? "" : folder_ + weights);
  }
  // Whatever the layout of the files: the same program and states.
  void ExpectLoaded() {
    const auto loaded = Load();
    ASSERT_THAT(loaded, IsOk());
    ASSERT_EQ(loaded->states.size(), 2u);
    EXPECT_EQ(loaded->states[0].name, "w");
    EXPECT_EQ(ToVector<float>(loaded->states[0].tensor), kWeights);
    EXPECT_EQ(loaded->states[1].name, "b");
    EXPECT_EQ(ToVector<float>(loaded->states[1].tensor), kBias);
    EXPECT_EQ(loaded->program.fetches().size(), 1u);
  }

  ir::Context context_;
  std::string folder_;
};

TEST_F(PaddleProgramTest, OneFilePerWeight) {
  WriteProgram("__model__");
  Write("w", translate::FloatStream({2, 3}, kWeights));
  EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/b")));
  Write("b", translate::FloatStream({3}, kBias));
  ExpectLoaded();
  Write("b", translate::FloatStream({3}, kBias) + "!");
  EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("as the program says")));
}

TEST_F(PaddleProgramTest, ProgramInJson) {
  const auto text =
      ReadFile("static_graph/foreign/paddle_json/testdata/json_whole.json");
  ASSERT_THAT(text, IsOk());
  Write("inference.json", *text);
  EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kNotFound,
                               HasSubstr("inference.pdiparams")));
  Write("inference.pdiparams", translate::FloatStream({3}, kBias) +
                                   translate::FloatStream({2, 3}, kWeights));
  for (const char* program : {"", "/inference.json"}) {
    const auto loaded = Load(program);
    ASSERT_THAT(loaded, IsOk());
    ASSERT_EQ(loaded->states.size(), 2u);
    EXPECT_EQ(loaded->states[0].name, "b");
    EXPECT_EQ(ToVector<float>(loaded->states[1].tensor), kWeights);
  }
  // The one with weights is the program.
  Write("config.json", "{}");
  EXPECT_THAT(Load(), IsOk());
  Write("config.pdiparams", "");
  EXPECT_THAT(Load(),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("must hold __model__, one *.pdmodel, one "
                                 "*.json, or main.pdmodel and "
                                 "startup.pdmodel, got 2 programs")));
  EXPECT_THAT(Load("/config.json"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("config.json: \"magic\" of")));
}

TEST_F(PaddleProgramTest, AllWeightsInOneFileSortedByName) {
  WriteProgram("inference.pdmodel");
  EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kNotFound,
                               HasSubstr("inference.pdiparams")));
  const std::string b = translate::FloatStream({3}, kBias);
  const std::string w = translate::FloatStream({2, 3}, kWeights);
  Write("inference.pdiparams", b + w);
  ExpectLoaded();
  Write("inference.pdiparams", w + b);
  EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("weights of 'b'")));
  Write("inference.pdiparams", b + w + b);
  EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(PaddleProgramTest, OldNamesOfOneFile) {
  WriteProgram("__model__");
  Write("__params__", translate::FloatStream({3}, kBias) +
                          translate::FloatStream({2, 3}, kWeights));
  ExpectLoaded();
}

TEST_F(PaddleProgramTest, AnyStemOfOneFile) {
  WriteProgram("model.pdmodel");
  const std::string bytes = translate::FloatStream({3}, kBias) +
                            translate::FloatStream({2, 3}, kWeights);
  Write("model.pdiparams.info", "not read");
  Write("other.pdiparams", bytes);
  ExpectLoaded();
  // None of several is meant.
  Write("another.pdiparams", bytes);
  EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kNotFound,
                               HasSubstr("model.pdiparams, __params__")));
  Write("weights", bytes);
  ExpectLoaded();
}

TEST_F(PaddleProgramTest, FilesThatAreNamed) {
  const std::string all = translate::FloatStream({3}, kBias) +
                          translate::FloatStream({2, 3}, kWeights);
  WriteProgram("main.pdmodel");
  WriteProgram("other.pdmodel");
  EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kNotFound,
                               HasSubstr("got 2 programs: main.pdmodel, "
                                         "other.pdmodel")));
  EXPECT_THAT(Load("/main.pdmodel"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("/w: there must be this file, or all weights "
                                 "in one: main.pdiparams, __params__, params, "
                                 "weights")));
  for (const char* name : {"elsewhere", "params", "main.pdiparams"}) {
    Write(name, all);
    const std::string named =
        name == std::string("elsewhere") ? "/elsewhere" : "";
    const auto loaded = Load("/main.pdmodel", named);
    ASSERT_THAT(loaded, IsOk()) << name;
    EXPECT_EQ(ToVector<float>(loaded->states[1].tensor), kBias);
    std::filesystem::remove(folder_ + "/" + name);
  }
  EXPECT_THAT(Load("/main.pdmodel", "/elsewhere"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("elsewhere")));
}

TEST_F(PaddleProgramTest, AFolderOfWeightsOneFileEach) {
  WriteProgram("inference.pdmodel");
  std::filesystem::create_directories(folder_ + "/init");
  Write("init/w", translate::FloatStream({2, 3}, kWeights));
  Write("init/b", translate::FloatStream({3}, kBias));
  const auto loaded = Load("", "/init");
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ(ToVector<float>(loaded->states[1].tensor), kBias);
}

// Gives w and b, or what `names` are, their first values.
std::string StartupProgram(const std::vector<std::string>& names) {
  translate::ProgramDesc program = translate::SmallProgram();
  translate::BlockDesc* block = program.mutable_blocks(0);
  block->clear_ops();
  translate::AddVariable(block, "counter", {1}, /*persistable=*/true);
  const std::vector<std::vector<int>> shapes = {{2, 3}, {3}, {1}};
  for (size_t i = 0; i < names.size(); ++i) {
    translate::OpDesc* full =
        translate::AddOperator(block, "fill_constant", {}, {{"Out", names[i]}});
    translate::SetFloat(full, "value", 2);
    translate::OpDesc::Attr* shape = full->add_attrs();
    shape->set_name("shape");
    shape->set_type(3);
    for (const int extent : shapes[i]) shape->add_ints(extent);
  }
  return program.SerializeAsString();
}

TEST_F(PaddleProgramTest, ATrainingProgramHasAStartup) {
  WriteProgram("main.pdmodel");
  Write("startup.pdmodel", StartupProgram({"w", "b", "counter"}));
  auto loaded = Load();
  ASSERT_THAT(loaded, IsOk());
  EXPECT_TRUE(loaded->needs_startup);
  ASSERT_TRUE(loaded->startup.has_value());
  EXPECT_EQ(loaded->startup->new_states().size(), 3u);
  ASSERT_EQ(loaded->states.size(), 3u);
  EXPECT_EQ(loaded->states[2].name, "counter");
  EXPECT_EQ(ToVector<float>(loaded->states[1].tensor),
            std::vector<float>({0, 0, 0}));
  Write("w", translate::FloatStream({2, 3}, kWeights));
  Write("b", translate::FloatStream({3}, kBias));
  loaded = Load();
  ASSERT_THAT(loaded, IsOk());
  EXPECT_FALSE(loaded->needs_startup);
  EXPECT_EQ(loaded->states.size(), 3u);
  EXPECT_EQ(ToVector<float>(loaded->states[1].tensor), kBias);
}

TEST_F(PaddleProgramTest, RefusesAStartupThatDoesNotFit) {
  const auto refused = [&](const std::string& startup,
                           const std::string& text) {
    Write("startup.pdmodel", startup);
    EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kInvalidArgument,
                                 HasSubstr("startup.pdmodel: " + text)));
  };
  WriteProgram("main.pdmodel");
  refused(translate::SmallProgram().SerializeAsString(),
          "program must be without feeds, got image");
  refused(StartupProgram({"w"}),
          "program must be one that writes each variable of the main program, "
          "got nothing for 'b'");
  translate::ProgramDesc desc = translate::SmallProgram();
  translate::VarDesc* b = desc.mutable_blocks(0)->mutable_vars(4);
  ASSERT_EQ(b->name(), "b");
  b->mutable_type()->mutable_dense_tensor()->set_lod_level(1);
  Write("main.pdmodel", desc.SerializeAsString());
  refused(StartupProgram({"w", "b"}),
          "variable 'b' must be as in the main program, got another "
          "description");
}

TEST_F(PaddleProgramTest, ReportsAFolderWithoutAProgram) {
  EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("0")));
  WriteProgram("a.pdmodel");
  WriteProgram("b.pdmodel");
  EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("2")));
  EXPECT_THAT(LoadPaddleProgram(&context_, folder_ + "/absent"),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(PaddleProgramTest, ReadsNoFileOutsideTheFolder) {
  for (const char* name : {"../w", "/etc/hostname", "a/../../w", "a/", ".."}) {
    translate::ProgramDesc desc = translate::SmallProgram();
    translate::AddVariable(desc.mutable_blocks(0), name, {1}, true);
    Write("__model__", desc.SerializeAsString());
    Write("w", translate::FloatStream({2, 3}, kWeights));
    Write("b", translate::FloatStream({3}, kBias));
    EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kInvalidArgument,
                                 HasSubstr("a file in the folder")))
        << name;
  }
}

}  // namespace
}  // namespace switchyard::static_graph

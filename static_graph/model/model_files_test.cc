// SPDX-License-Identifier: Apache-2.0
#include "static_graph/model/model_files.h"

#include <filesystem>
#include <fstream>

#include "framework/base/file.h"
#include "framework/testing/matchers.h"

namespace switchyard::static_graph {
namespace {

using ::testing::HasSubstr;

// The files that FindModelFiles() tells apart by their contents alone are
// empty. How folders are searched for weights is paddle_program_test.cc's, too,
// which reads them.
class ModelFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = ::testing::TempDir() + "/files_" + test->name();
    std::filesystem::create_directories(folder_);
  }
  std::string Write(const std::string& name, const std::string& bytes = "") {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  std::string folder_;
};

TEST(FormatOfBytes, IsToldByTheBeginning) {
  EXPECT_EQ(FormatOfBytes("SYPROG\r\n\x01"), ModelFormat::kSaved);
  EXPECT_EQ(FormatOfBytes("{\"base_code\": 1}"), ModelFormat::kPaddleJson);
  EXPECT_EQ(FormatOfBytes(" \n\t{"), ModelFormat::kPaddleJson);
  EXPECT_EQ(FormatOfBytes("\x0a\x10"), ModelFormat::kPaddleDesc);
  EXPECT_EQ(FormatOfBytes("SYPRO"), ModelFormat::kPaddleDesc);
  EXPECT_EQ(FormatOfBytes(" \n"), ModelFormat::kPaddleDesc);
  EXPECT_EQ(FormatOfBytes(""), ModelFormat::kPaddleDesc);
  EXPECT_EQ(FormatOfBytes("\x08\x07\x12"), ModelFormat::kOnnx);
}

TEST_F(ModelFilesTest, FormatOfAFileIsToldByNameAndMark) {
  EXPECT_EQ(FormatOfPath(Write("__model__")), ModelFormat::kPaddleDesc);
  EXPECT_EQ(FormatOfPath(Write("a.pdmodel")), ModelFormat::kPaddleDesc);
  EXPECT_EQ(FormatOfPath(Write("a.json", "{}")), ModelFormat::kPaddleJson);
  for (const char* name : {"b.pdmodel", "b.json", "b.sy"}) {
    EXPECT_EQ(FormatOfPath(Write(name, "SYPROG\r\n")), ModelFormat::kSaved);
  }
  EXPECT_EQ(FormatOfPath(Write("c.onnx")), ModelFormat::kOnnx);
  EXPECT_EQ(FormatOfPath(Write("c", "\x08\x07\x12")), ModelFormat::kOnnx);
  EXPECT_EQ(FormatOfPath(Write("d.pdmodel", "\x08\x07\x12")),
            ModelFormat::kPaddleDesc);
  // Others are read as one of ours, which says what is wrong.
  EXPECT_EQ(FormatOfPath(Write("c.txt")), ModelFormat::kSaved);
  EXPECT_EQ(FormatOfPath(folder_ + "/absent.pdmodel"), ModelFormat::kSaved);
  EXPECT_EQ(FormatOfPath(folder_), std::nullopt);
}

TEST_F(ModelFilesTest, WordsOfFormats) {
  EXPECT_EQ(Name(ModelFormat::kSaved), "saved");
  EXPECT_EQ(Name(ModelFormat::kPaddleDesc), "paddle_desc");
  EXPECT_EQ(Name(ModelFormat::kPaddleJson), "paddle_json");
  EXPECT_EQ(Name(ModelFormat::kOnnx), "onnx");
}

TEST_F(ModelFilesTest, ASavedProgramHasNoOtherFiles) {
  const std::string path = Write("a.sy", "SYPROG\r\n");
  Write("a.pdiparams");
  const auto files = FindModelFiles(path);
  ASSERT_THAT(files, IsOk());
  EXPECT_EQ(files->format, ModelFormat::kSaved);
  EXPECT_EQ(files->program, path);
  EXPECT_EQ(files->weights, "");
  EXPECT_EQ(files->startup, "");
}

TEST_F(ModelFilesTest, WeightsMakeAnyFileAProgramOfPaddle) {
  const std::string path = Write("program");
  auto files = FindModelFiles(path, folder_ + "/elsewhere");
  ASSERT_THAT(files, IsOk());
  EXPECT_EQ(files->format, ModelFormat::kPaddleDesc);
  EXPECT_EQ(files->weights, folder_ + "/elsewhere");
  EXPECT_EQ(FindModelFiles(path)->format, ModelFormat::kSaved);
}

TEST_F(ModelFilesTest, OfSeveralWeightsTheSameStemComesFirst) {
  const std::string path = Write("a.pdmodel");
  const std::string order[] = {"weights", "params", "__params__",
                               "a.pdiparams"};
  for (const std::string& name : order) {
    const std::string weights = Write(name);
    const auto files = FindModelFiles(folder_);
    ASSERT_THAT(files, IsOk());
    EXPECT_EQ(files->program, path);
    EXPECT_EQ(files->weights, weights);
  }
}

TEST_F(ModelFilesTest, ATrainingProgramHasAStartup) {
  Write("main.json", "{}");
  EXPECT_EQ(FindModelFiles(folder_)->startup, "");
  const std::string startup = Write("startup.json", "{}");
  auto files = FindModelFiles(folder_);
  ASSERT_THAT(files, IsOk());
  EXPECT_EQ(files->format, ModelFormat::kPaddleJson);
  EXPECT_EQ(files->startup, startup);
  // An old program comes before all others.
  Write("__model__");
  files = FindModelFiles(folder_);
  ASSERT_THAT(files, IsOk());
  EXPECT_EQ(files->format, ModelFormat::kPaddleDesc);
  EXPECT_EQ(files->startup, "");
}

TEST_F(ModelFilesTest, AFolderHoldsOneProgram) {
  auto files = FindModelFiles(folder_);
  EXPECT_THAT(files, StatusIs(absl::StatusCode::kNotFound,
                              HasSubstr("got 0 programs")));
  EXPECT_TRUE(IsMissingFile(files.status()));
  Write("b.pdmodel");
  Write("a.pdmodel");
  files = FindModelFiles(folder_);
  EXPECT_THAT(files,
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("got 2 programs: a.pdmodel, b.pdmodel")));
  EXPECT_TRUE(IsMissingFile(files.status()));
}

}  // namespace
}  // namespace switchyard::static_graph

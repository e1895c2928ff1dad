// SPDX-License-Identifier: Apache-2.0
// Arrays of old programs, whose variables are written in place: a program, and
// the same operators called one by one by their old names.
#include "eager/legacy/run_legacy_op.h"
#include "framework/tensor/tensor_array.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/program/executable.h"
#include "static_graph/translate/testing.h"
#include "static_graph/translate/translator.h"

namespace switchyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kLegacyInt64 = 3;

class ArraysTest : public ::testing::Test {
 protected:
  static absl::StatusOr<std::shared_ptr<const static_graph::Executable>>
  Compiled(const translate::ProgramDesc& desc) {
    static_graph::ir::Context context;
    SY_RETURN_IF_ERROR(static_graph::RegisterDialects(
        &context, static_graph::AllDialectOps()));
    SY_ASSIGN_OR_RETURN(
        const static_graph::TranslatedProgram translated,
        static_graph::TranslateProgram(desc, "arrays", &context));
    return static_graph::Executable::Compile(translated.program,
                                             phi::KernelTables::Current());
  }

  // {read, length, length_of_b, joined, sizes}.
  static absl::StatusOr<std::vector<static_graph::Fetch>> RunProgram(
      const DenseTensor& image, const DenseTensor& i, const DenseTensor& j) {
    SY_ASSIGN_OR_RETURN(
        const std::shared_ptr<const static_graph::Executable> program,
        Compiled(translate::ArrayProgram()));
    return program->Run({{"image", image}, {"i", i}, {"j", j}});
  }
};

DenseTensor Number(int64_t value) { return MakeTensor<int64_t>({1}, {value}); }

TEST_F(ArraysTest, VariablesAreWrittenInPlace) {
  const DenseTensor image = MakeTensor<float>({1, 2}, {3, 5});
  const struct {
    int64_t i;
    int64_t j;
    std::vector<float> read;
    std::vector<float> joined;
  } cases[] = {{0, 1, {3, 5}, {3, 5, 6, 10}},
               {1, 0, {3, 5}, {6, 10, 3, 5}},
               {0, 0, {6, 10}, {6, 10}}};
  for (const auto& [i, j, read, joined] : cases) {
    const auto fetches = RunProgram(image, Number(i), Number(j));
    ASSERT_THAT(fetches, IsOk());
    EXPECT_EQ(ToVector<float>((*fetches)[0].tensor), read);
    const int64_t length = static_cast<int64_t>(joined.size()) / 2;
    EXPECT_THAT(ToVector<int64_t>((*fetches)[1].tensor), ElementsAre(length));
    EXPECT_THAT(ToVector<int64_t>((*fetches)[2].tensor), ElementsAre(0));
    EXPECT_EQ(ToVector<float>((*fetches)[3].tensor), joined);
    EXPECT_EQ(ToVector<int32_t>((*fetches)[4].tensor),
              std::vector<int32_t>(length, 1));
  }
  EXPECT_THAT(RunProgram(image, Number(2), Number(0)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("array must be written at each position, got "
                                 "nothing at 1")));
}

// a -> image is written at i -> a, fed and fetched.
TEST_F(ArraysTest, VariablesAreFedAndFetched) {
  translate::ProgramDesc desc;
  translate::BlockDesc* block = desc.add_blocks();
  block->set_parent_idx(-1);
  translate::AddArray(block, "a", {-1, 2});
  translate::AddVariable(block, "image", {-1, 2});
  translate::AddVariable(block, "i", {1})
      ->mutable_type()
      ->mutable_dense_tensor()
      ->mutable_tensor()
      ->set_data_type(kLegacyInt64);
  int column = 0;
  for (const char* name : {"a", "image", "i"}) {
    translate::SetInt(
        translate::AddOperator(block, "feed", {{"X", "feed"}}, {{"Out", name}}),
        "col", column++);
  }
  translate::AddOperator(block, "write_to_array", {{"X", "image"}, {"I", "i"}},
                         {{"Out", "a"}});
  translate::AddOperator(block, "fetch", {{"X", "a"}}, {{"Out", "fetch"}});
  const auto program = Compiled(desc);
  ASSERT_THAT(program, IsOk());
  const auto element = std::make_shared<const DenseTensor>(
      MakeTensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  const auto fed = std::make_shared<const TensorArray>(
      DataType::kFloat32, Shape({Dim::Unknown(), 2}), Place::Cpu(),
      ElementList({element, element}));
  const DenseTensor image = MakeTensor<float>({1, 2}, {7, 8});
  for (const int64_t position : {0, 2}) {
    const auto fetches = (*program)->Run(
        {{"a", {}, fed}, {"image", image}, {"i", Number(position)}});
    ASSERT_THAT(fetches, IsOk());
    ASSERT_NE((*fetches)[0].other, nullptr);
    const auto& array = static_cast<const TensorArray&>(*(*fetches)[0].other);
    ASSERT_EQ(array.length(), position == 0 ? 2 : 3);
    EXPECT_THAT(ToVector<float>(*array.elements()[position]),
                ElementsAre(7, 8));
    EXPECT_EQ(array.elements()[1], element);
  }
  EXPECT_EQ(fed->length(), 2);
  EXPECT_EQ(fed->elements()[0], element);
  EXPECT_THAT(
      (*program)->Run({{"a", image}, {"image", image}, {"i", Number(0)}}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("feed a must be tensor_array float32[?, ?, 2], got "
                         "float32[1, 2]")));
}

TEST_F(ArraysTest, OldNamesCallOneByOne) {
  const eager::Tensor x(MakeTensor<float>({1, 2}, {3, 5}));
  const auto first = eager::RunLegacyOp(
      "write_to_array", {{"X", {x}}, {"I", {eager::Tensor(Number(0))}}}, {});
  ASSERT_THAT(first, IsOk());
  const auto second = eager::RunLegacyOp("write_to_array",
                                         {{"X", {x}},
                                          {"I", {eager::Tensor(Number(1))}},
                                          {"Out", (*first)[0].tensors}},
                                         {});
  ASSERT_THAT(second, IsOk());
  for (const auto& [array, length] :
       {std::pair{*first, 1}, std::pair{*second, 2}}) {
    const auto counted =
        eager::RunLegacyOp("lod_array_length", {{"X", array[0].tensors}}, {});
    ASSERT_THAT(counted, IsOk());
    EXPECT_THAT(ToVector<int64_t>((*counted)[0].tensors[0].dense()),
                ElementsAre(length));
  }
}

}  // namespace
}  // namespace switchyard

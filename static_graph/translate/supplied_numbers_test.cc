// SPDX-License-Identifier: Apache-2.0
// Numbers that a program gives its operators: attributes of any kind of number,
// and tensors that supply attributes.
#include <string>
#include <string_view>
#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/printer.h"
#include "static_graph/translate/testing.h"
#include "static_graph/translate/translator.h"

namespace switchyard::static_graph {
namespace {

using testing::HasSubstr;
using translate::BlockDesc;
using translate::OpDesc;
using translate::ProgramDesc;

class SuppliedNumbersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(RegisterDialects(&context_, AllDialectOps()), IsOk());
  }

  ir::Context context_;
};

constexpr int kInt32 = 2;
constexpr int kFloat32 = 5;

// Adds a variable of `count` numbers, known or a state of the program.
void AddNumber(BlockDesc* block, const char* name, int dtype, bool constant,
               int count = 1) {
  translate::AddVariable(block, name, {count}, !constant)
      ->mutable_type()
      ->mutable_dense_tensor()
      ->mutable_tensor()
      ->set_data_type(dtype);
  if (!constant) return;
  OpDesc* fill =
      translate::AddOperator(block, "fill_constant", {}, {{"Out", name}});
  translate::SetInt(fill, "dtype", dtype);
  translate::SetFloat(fill, "value", 1.0f);
  OpDesc::Attr* shape = fill->add_attrs();
  shape->set_name("shape");
  shape->set_type(static_cast<int>(AttributeKind::kLongs));
  shape->add_longs(count);
}

TEST_F(SuppliedNumbersTest, Item6TakesNumbersThatTheProgramFillsIn) {
  for (const bool constant : {true, false}) {
    ProgramDesc desc = translate::SmallProgram();
    BlockDesc* block = desc.mutable_blocks(0);
    AddNumber(block, "axis", kInt32, constant);
    translate::AddVariable(block, "result", {-1, 1});
    translate::AddOperator(block, "median",
                           {{"x", "image"}, {"AxisTensor", "axis"}},
                           {{"out", "result"}});
    const auto translated = TranslateProgram(desc, "main", &context_);
    if (constant) {
      ASSERT_THAT(translated, IsOk());
      EXPECT_THAT(ir::Print(translated->program), HasSubstr("op.argsort"));
    } else {
      EXPECT_THAT(translated,
                  StatusIs(absl::StatusCode::kUnimplemented,
                           HasSubstr("median: AxisTensor must be absent or "
                                     "constant, since the attribute axis must "
                                     "be known before the run")));
    }
  }
}

// A call with a slot that supplies an attribute, by `count` numbers.
struct SuppliedCall {
  const char* type;
  const char* slot;
  int dtype;
  int count;
  translate::SlotList inputs;
  const char* output;
  std::vector<int64_t> result;
  const char* text;  // In the program where the numbers are computed.
};

const translate::SlotList kBatchNorm = {{"X", "volume"},
                                        {"Mean", "b"},
                                        {"Variance", "b"},
                                        {"Scale", "b"},
                                        {"Bias", "b"}};
const translate::SlotList kAdam = {{"Param", "w"},          {"Grad", "w"},
                                   {"LearningRate", "one"}, {"Moment1", "m"},
                                   {"Moment2", "m"},        {"Beta1Pow", "one"},
                                   {"Beta2Pow", "one"}};
const std::vector<SuppliedCall> kCalls = {
    {"crop_tensor",
     "Shape",
     kInt32,
     2,
     {{"X", "image"}},
     "Out",
     {-1, -1},
     "op.crop"},
    {"crop_tensor",
     "OffsetsTensor",
     kInt32,
     1,
     {{"X", "b"}},
     "Out",
     {-1},
     "op.crop"},
    {"crop",
     "Offsets",
     kInt32,
     2,
     {{"X", "image"}, {"Y", "small"}},
     "Out",
     {1, 1},
     "op.crop"},
    {"affine_grid",
     "OutputShape",
     kInt32,
     4,
     {{"Theta", "theta"}},
     "Output",
     {1, -1, -1, 2},
     "op.affine_grid"},
    {"reduce_amax",
     "AxisTensor",
     kInt32,
     1,
     {{"X", "image"}},
     "Out",
     {-1},
     "op.amax"},
    {"reduce_amin",
     "AxisTensorList",
     kInt32,
     1,
     {{"X", "image"}},
     "Out",
     {-1},
     "op.amin"},
    {"batch_norm",
     "MomentumTensor",
     kFloat32,
     1,
     kBatchNorm,
     "Y",
     {-1, 3, 2, 2},
     "op.batch_norm"},
    {"adam",
     "Beta1Tensor",
     kFloat32,
     1,
     kAdam,
     "ParamOut",
     {2, 3},
     "operand_segments = int32[1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0]"},
    {"adamw",
     "EpsilonTensor",
     kFloat32,
     1,
     kAdam,
     "ParamOut",
     {2, 3},
     "operand_segments = int32[1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1]"}};

TEST_F(SuppliedNumbersTest, TakesShapesOffsetsAndRatesThatAreComputed) {
  for (const SuppliedCall& call : kCalls) {
    SCOPED_TRACE(std::string(call.type) + " " + call.slot);
    ProgramDesc desc = translate::SmallProgram();
    BlockDesc* block = desc.mutable_blocks(0);
    AddNumber(block, "numbers", call.dtype, /*constant=*/false, call.count);
    AddNumber(block, "one", kFloat32, /*constant=*/false);
    translate::AddVariable(block, "theta", {1, 2, 3}, true);
    translate::AddVariable(block, "volume", {4, 3, 2, 2}, true);
    translate::AddVariable(block, "m", {2, 3}, true);
    translate::AddVariable(block, "small", {1, 1}, true);
    translate::AddVariable(block, "result", call.result);
    translate::SlotList inputs = call.inputs;
    inputs.emplace_back(call.slot, "numbers");
    OpDesc* op = translate::AddOperator(block, call.type, inputs,
                                        {{call.output, "result"}});
    if (std::string_view(call.type) == "crop_tensor") {
      OpDesc::Attr* shape = op->add_attrs();
      shape->set_name("shape");
      shape->set_type(static_cast<int>(AttributeKind::kInts));
      shape->add_ints(1);
    }
    const auto translated = TranslateProgram(desc, "main", &context_);
    ASSERT_THAT(translated, IsOk());
    const std::string text = ir::Print(translated->program);
    EXPECT_THAT(text, HasSubstr(call.text));
    EXPECT_THAT(text, HasSubstr("operand_segments = int32[1, "));
  }
}

// A number of an operator that a tensor supplies.
struct SuppliedNumber {
  const char* type;
  const char* slot;
  int dtype;
  const char* attribute;  // Ours.
};
constexpr SuppliedNumber kNumbers[] = {
    {"concat", "AxisTensor", kInt32, "axis"},
    {"top_k_v2", "K", kInt32, "k"},
    {"top_k", "K", kInt32, "k"},
    {"clip", "Min", kFloat32, "min"},
    {"clip", "Max", kFloat32, "max"},
    {"pow", "FactorTensor", kFloat32, "y"},
    {"scale", "ScaleTensor", kFloat32, "scale"},
    {"scale", "BiasTensor", kFloat32, "bias"},
    {"gather", "Axis", kInt32, "axis"},
    {"unsqueeze2", "AxesTensor", kInt32, "axis"},
    {"unsqueeze", "AxesTensorList", kInt32, "axis"},
    {"slice", "StartsTensorList", kInt32, "starts"},
    {"slice", "EndsTensor", kInt32, "ends"}};

// A program that calls it, with the other inputs of its operator.
ProgramDesc ProgramOf(const SuppliedNumber& call, bool constant) {
  const std::string_view type = call.type;
  ProgramDesc desc = translate::SmallProgram();
  BlockDesc* block = desc.mutable_blocks(0);
  AddNumber(block, "number", call.dtype, constant);
  const bool unsqueezed = type.substr(0, 9) == "unsqueeze";
  translate::AddVariable(block, "result",
                         unsqueezed ? std::vector<int64_t>{-1, -1, -1}
                                    : std::vector<int64_t>{-1, -1});
  OpDesc* op = translate::AddOperator(
      block, call.type,
      {{type == "slice" ? "Input" : "X", "image"}, {call.slot, "number"}},
      {{"Out", "result"}});
  if (type == "gather") {
    AddNumber(block, "index", kInt32, /*constant=*/false);
    OpDesc::Var* slot_of_index = op->add_inputs();
    slot_of_index->set_parameter("Index");
    slot_of_index->add_arguments("index");
  } else if (type == "slice") {
    for (const char* name : {"axes", "starts", "ends"}) {
      OpDesc::Attr* list = op->add_attrs();
      list->set_name(name);
      list->set_type(static_cast<int>(AttributeKind::kInts));
      list->add_ints(name[0] == 'e' ? 2 : 0);
    }
  } else if (type == "clip") {
    translate::SetFloat(op, "min", -2.0f);
    translate::SetFloat(op, "max", 2.0f);
  }
  return desc;
}

// Numbers that a program knows only while it runs are operands.
TEST_F(SuppliedNumbersTest, Item6TakesNumbersThatTheProgramComputes) {
  for (const SuppliedNumber& call : kNumbers) {
    for (const bool constant : {true, false}) {
      SCOPED_TRACE(std::string(call.type) + " " + call.slot);
      const auto translated =
          TranslateProgram(ProgramOf(call, constant), "main", &context_);
      ASSERT_THAT(translated, IsOk());
      const std::string text = ir::Print(translated->program);
      const bool scalar = call.dtype == kFloat32;
      // A floating number is not read before the run.
      EXPECT_EQ(text.find("operand_segments = int32[1, ") != text.npos,
                !constant || scalar)
          << text;
      if (constant && !scalar) {
        EXPECT_THAT(text, HasSubstr(std::string(call.attribute) + " = "));
      }
    }
  }
}

TEST_F(SuppliedNumbersTest, Item12ReadsListsOfScalars) {
  for (const int type : {3, 5}) {
    ProgramDesc desc = translate::SmallProgram();
    BlockDesc* block = desc.mutable_blocks(0);
    translate::AddVariable(block, "numbers", {3});
    OpDesc* op =
        translate::AddOperator(block, "assign_value", {}, {{"Out", "numbers"}});
    translate::SetInt(op, "dtype", 5);
    OpDesc::Attr* shape = op->add_attrs();
    shape->set_name("shape");
    shape->set_type(static_cast<int>(AttributeKind::kInts));
    shape->add_ints(3);
    OpDesc::Attr* values = op->add_attrs();
    values->set_name("values");
    values->set_type(static_cast<int>(AttributeKind::kScalars));
    translate::Scalar* flag = values->add_scalars();
    flag->set_type(static_cast<int>(ScalarKind::kBool));
    flag->set_b(true);
    translate::Scalar* count = values->add_scalars();
    count->set_type(static_cast<int>(ScalarKind::kLong));
    count->set_i(-7);
    translate::Scalar* number = values->add_scalars();
    number->set_type(type);
    number->set_r(0.5);
    const auto translated = TranslateProgram(desc, "main", &context_);
    if (type == static_cast<int>(ScalarKind::kDouble)) {
      ASSERT_THAT(translated, IsOk());
      EXPECT_THAT(ir::Print(translated->program),
                  HasSubstr("scalar[true, -7, 0.5]"));
    } else {
      EXPECT_THAT(translated,
                  StatusIs(absl::StatusCode::kInvalidArgument,
                           HasSubstr("assign_value: attribute 'values' must be "
                                     "of numbers of type 1 to 4, got type 5")));
    }
  }
}

}  // namespace
}  // namespace switchyard::static_graph

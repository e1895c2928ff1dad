// SPDX-License-Identifier: Apache-2.0
// Numbers that a program gives its operators: attributes of any kind of number,
// and tensors that supply attributes.
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

TEST_F(SuppliedNumbersTest, Item6TakesNumbersThatTheProgramFillsIn) {
  for (const bool constant : {true, false}) {
    ProgramDesc desc = translate::SmallProgram();
    BlockDesc* block = desc.mutable_blocks(0);
    constexpr int kInt32 = 2;
    const auto add_int = [&](const char* name) {
      translate::AddVariable(block, name, {1}, !constant)
          ->mutable_type()
          ->mutable_dense_tensor()
          ->mutable_tensor()
          ->set_data_type(kInt32);
    };
    add_int("axis");
    if (constant) {
      OpDesc* fill =
          translate::AddOperator(block, "fill_constant", {}, {{"Out", "axis"}});
      translate::SetInt(fill, "dtype", kInt32);
      translate::SetFloat(fill, "value", 1.0f);
      OpDesc::Attr* shape = fill->add_attrs();
      shape->set_name("shape");
      shape->set_type(static_cast<int>(AttributeKind::kLongs));
      shape->add_longs(1);
    }
    translate::AddVariable(block, "joined", {-1, 2});
    translate::AddOperator(block, "concat",
                           {{"X", "image"}, {"AxisTensor", "axis"}},
                           {{"Out", "joined"}});
    const auto translated = TranslateProgram(desc, "main", &context_);
    if (constant) {
      ASSERT_THAT(translated, IsOk());
      EXPECT_THAT(ir::Print(translated->program), HasSubstr("{axis = 1}"));
    } else {
      EXPECT_THAT(translated,
                  StatusIs(absl::StatusCode::kUnimplemented,
                           HasSubstr("concat: AxisTensor must be absent or "
                                     "constant, since the attribute axis must "
                                     "be known before the run")));
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

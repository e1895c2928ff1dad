// SPDX-License-Identifier: Apache-2.0
// Imports what real programs contain and the importer tolerates, numbered as in
// the study of 149 public programs. Deviations without a consequence are
// accepted; others stay errors.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/printer.h"
#include "static_graph/translate/rewrites/operator_versions.h"
#include "static_graph/translate/testing.h"
#include "static_graph/translate/translator.h"

namespace switchyard::static_graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using translate::AddOperator;
using translate::AddVariable;
using translate::BlockDesc;
using translate::OpDesc;
using translate::ProgramDesc;

constexpr int kBool = 6;

class ToleranceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(RegisterDialects(&context_, AllDialectOps()), IsOk());
  }
  BlockDesc* block() { return program_.mutable_blocks(0); }
  absl::StatusOr<TranslatedProgram> Translated() {
    return TranslateProgram(program_, "main", &context_);
  }
  std::string Text() {
    const auto translated = Translated();
    EXPECT_THAT(translated, IsOk());
    return translated.ok() ? ir::Print(translated->program) : "";
  }
  std::vector<std::string> Names(const std::vector<ir::NamedValue>& values) {
    std::vector<std::string> names;
    for (const ir::NamedValue& value : values) names.push_back(value.name);
    return names;
  }
  // Takes the operators of a type away.
  void Remove(const std::string& type) {
    for (int i = block()->ops_size() - 1; i >= 0; --i) {
      if (block()->ops(i).type() == type) {
        block()->mutable_ops()->DeleteSubrange(i, 1);
      }
    }
  }
  OpDesc* AddDropout(bool is_test) {
    AddVariable(block(), "dropped", {-1, 3});
    AddVariable(block(), "mask", {});
    OpDesc* const dropout = AddOperator(block(), "dropout", {{"X", "prob"}},
                                        {{"Out", "dropped"}, {"Mask", "mask"}});
    OpDesc::Attr* const attr = dropout->add_attrs();
    attr->set_name("is_test");
    attr->set_type(kBool);
    attr->set_b(is_test);
    return dropout;
  }

  ir::Context context_;
  ProgramDesc program_ = translate::SmallProgram();
};

TEST_F(ToleranceTest, Item1EmptySlotsAreAbsent) {
  OpDesc::Var* const slot = block()->mutable_ops(3)->add_inputs();
  slot->set_parameter("ResidualData");
  EXPECT_THAT(Translated(), IsOk());
  slot->add_arguments("b");
  EXPECT_THAT(Translated(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("operator 3, relu: inputs must be of X, got "
                                 "ResidualData")));
}

// The attributes of the study: any value that changes nothing is dropped, any
// other is refused by name.
TEST_F(ToleranceTest, Item2UnknownAttributesMustBeNeutral) {
  OpDesc* const relu = block()->mutable_ops(3);
  const auto expect_refused = [&](const std::string& name) {
    EXPECT_THAT(Translated(), StatusIs(absl::StatusCode::kInvalidArgument,
                                       HasSubstr("block 0, operator 3, relu: " +
                                                 name + " must be ")));
    relu->clear_attrs();
  };
  for (const char* name : {"fuse_relu", "fuse_brelu", "use_quantizer",
                           "force_fp32_output", "fuse_residual_connection"}) {
    for (const bool value : {false, true}) {
      translate::SetBool(relu, name, value);
      if (value) expect_refused(name);
      EXPECT_THAT(Translated(), IsOk()) << name;
      relu->clear_attrs();
    }
  }
  for (const char* name : {"fused_reshape_X", "fused_transpose_Out"}) {
    OpDesc::Attr* const list = relu->add_attrs();
    list->set_name(name);
    list->set_type(static_cast<int>(AttributeKind::kInts));
    EXPECT_THAT(Translated(), IsOk()) << name;
    list->add_ints(0);
    expect_refused(name);
  }
  translate::SetText(relu, "fuse_activation", "");
  EXPECT_THAT(Translated(), IsOk());
  relu->mutable_attrs(0)->set_s("relu");
  expect_refused("fuse_activation");
  // No value of these changes a result.
  for (const bool value : {false, true}) {
    for (const char* name : {"is_test", "inplace", "skip_quant"}) {
      translate::SetBool(relu, name, value);
    }
    translate::SetFloat(relu, "fuse_brelu_threshold", 6.0f);
    translate::SetFloat(relu, "out_threshold", 2.5f);
    translate::SetText(relu, "quantization_type", "qat_with_weight");
    EXPECT_THAT(Translated(), IsOk());
    relu->clear_attrs();
  }
}

TEST_F(ToleranceTest, Item3OutputsMayBeDescribedAnyhow) {
  AddDropout(true);
  EXPECT_THAT(Translated(), IsOk());
  // Even one that is read: a run goes by what the operator really yields.
  AddVariable(block(), "read", {-1, 3});
  AddOperator(block(), "cast", {{"X", "mask"}}, {{"Out", "read"}});
  translate::SetInt(block()->mutable_ops(block()->ops_size() - 1), "in_dtype",
                    20);
  translate::SetInt(block()->mutable_ops(block()->ops_size() - 1), "out_dtype",
                    5);
  EXPECT_THAT(Translated(), IsOk());
}

TEST_F(ToleranceTest, Item4DropoutOfTheTestPhase) {
  AddDropout(true);
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("is_test = true"));
  EXPECT_THAT(text, Not(HasSubstr("state \"rng\"")));
}

TEST_F(ToleranceTest, Item4FlagsMayBeNumbers) {
  OpDesc::Attr* const attr = AddDropout(true)->mutable_attrs(0);
  attr->set_type(0);
  attr->set_i(1);
  EXPECT_THAT(Text(), HasSubstr("is_test = true"));
  attr->set_i(2);
  EXPECT_THAT(Translated(), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("is_test must be bool, got 2")));
}

TEST_F(ToleranceTest, Item5AScalarMayBeDescribedAsAListOfOne) {
  AddVariable(block(), "mean", {1});
  OpDesc* const mean =
      AddOperator(block(), "reduce_mean", {{"X", "prob"}}, {{"Out", "mean"}});
  OpDesc::Attr* const attr = mean->add_attrs();
  attr->set_name("reduce_all");
  attr->set_type(kBool);
  attr->set_b(true);
  AddVariable(block(), "again", {});
  AddOperator(block(), "relu", {{"X", "mean"}}, {{"Out", "again"}});
  EXPECT_THAT(Translated(), IsOk());
}

TEST_F(ToleranceTest, Item5ASliceMayDropAnAxis) {
  for (const std::vector<int64_t>& described :
       {std::vector<int64_t>{1}, std::vector<int64_t>{}}) {
    ProgramDesc before = program_;
    AddVariable(block(), "first", described);
    AddVariable(block(), "again", described);
    OpDesc* const slice =
        AddOperator(block(), "slice", {{"Input", "b"}}, {{"Out", "first"}});
    const std::pair<const char*, int> lists[] = {
        {"axes", 0}, {"starts", 0}, {"ends", 1}, {"decrease_axis", 0}};
    for (const auto& [name, value] : lists) {
      OpDesc::Attr* const attr = slice->add_attrs();
      attr->set_name(name);
      attr->set_type(static_cast<int>(AttributeKind::kInts));
      attr->add_ints(value);
    }
    AddOperator(block(), "relu", {{"X", "first"}}, {{"Out", "again"}});
    EXPECT_THAT(Translated(), IsOk());
    program_ = before;
  }
}

TEST_F(ToleranceTest, Item7VariablesWithoutATensorDescription) {
  block()->mutable_vars(5)->mutable_type()->clear_dense_tensor();
  EXPECT_THAT(Translated(), IsOk());
}

TEST_F(ToleranceTest, Item11VersionsOfOperators) {
  const auto set = [&](const std::string& type, int version) {
    auto* const pair = program_.mutable_op_version_map()->add_pair();
    pair->set_op_name(type);
    pair->mutable_op_version()->set_version(version);
  };
  set("elementwise_add", 1);
  set("roi_align", 4);  // No operator of the program.
  EXPECT_THAT(Translated(), IsOk());
  set("relu", 1);
  set("softmax", -1);
  AddOperator(block(), "relu", {{"X", "prob"}}, {{"Out", "prob"}});
  EXPECT_THAT(
      Translated(),
      StatusIs(absl::StatusCode::kUnimplemented,
               "2 operators can't be translated:\n"
               "block 0, operator 3, relu: version of the operator must be at "
               "most 0, the newest that is known, got 1\n"
               "block 0, operator 4, softmax: version of the operator must be "
               "0 or more, got -1"));
}

TEST_F(ToleranceTest, Item11NewestVersions) {
  const std::pair<const char*, int> versions[] = {
      {"roi_align", 3},     {"leaky_relu", 1},
      {"yolo_box", 1},      {"generate_proposals", 2},
      {"arg_max", 1},       {"distribute_fpn_proposals", 2},
      {"set_value", 4},     {"conv2d_transpose", 2},
      {"fill_constant", 2}, {"fake_channel_wise_dequantize_max_abs", 2},
      {"grid_sampler", 1},  {"pixel_shuffle", 1},
      {"lookup_table", 1},  {"adam", 4},
      {"yolo_box2", 0},     {"", 0}};
  for (const auto& [type, version] : versions) {
    EXPECT_EQ(NewestVersion(type), version) << type;
  }
}

// The kinds that no other test of attributes has.
TEST_F(ToleranceTest, Item12KindsOfAttributes) {
  OpDesc* const scale = block()->mutable_ops(5);
  scale->mutable_attrs(0)->set_type(static_cast<int>(AttributeKind::kDouble));
  scale->mutable_attrs(0)->clear_f();
  scale->mutable_attrs(0)->set_float64(0.25);
  EXPECT_THAT(Text(), HasSubstr("0.25"));
  OpDesc* const softmax = block()->mutable_ops(4);
  softmax->mutable_attrs(0)->set_type(static_cast<int>(AttributeKind::kLong));
  softmax->mutable_attrs(0)->clear_i();
  softmax->mutable_attrs(0)->set_l(0);
  EXPECT_THAT(Text(), HasSubstr("{axis = 0}"));
  OpDesc::Attr* const attr = softmax->add_attrs();
  attr->set_name("of_another_kind");
  for (const int kind : {13, 14}) {  // VAR and VARS.
    attr->set_type(kind);
    EXPECT_THAT(Translated(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr(absl::StrCat(
                             "softmax: attribute 'of_another_kind' must be a "
                             "number, a text or a list of numbers, got type ",
                             kind))));
  }
}

TEST_F(ToleranceTest, Item15AnOperatorListsAllItsAttributes) {
  OpDesc* const softmax = block()->mutable_ops(4);
  translate::SetInt(softmax, "axes", 1);
  translate::SetText(softmax, "fuse_activation", "relu");
  EXPECT_THAT(Translated(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("softmax: axes must be absent or neutral (the "
                                 "form has axis), got 1; fuse_activation must "
                                 "be absent or neutral (the form has axis), "
                                 "got \"relu\"")));
}

TEST_F(ToleranceTest, AGradientMayKnowItsInputByItsShape) {
  for (const char* name : {"flat", "flat_grad", "prob_grad"}) {
    AddVariable(block(), name, {-1, 3});
  }
  AddVariable(block(), "shape", {0, -1, 3});
  OpDesc* const flatten =
      AddOperator(block(), "flatten_contiguous_range", {{"X", "prob"}},
                  {{"Out", "flat"}, {"XShape", "shape"}});
  AddOperator(block(), "scale", {{"X", "flat"}}, {{"Out", "flat_grad"}});
  AddOperator(block(), "flatten_contiguous_range_grad",
              {{"XShape", "shape"}, {"Out@GRAD", "flat_grad"}},
              {{"X@GRAD", "prob_grad"}});
  EXPECT_THAT(Text(), HasSubstr("%prob_grad = "));
  flatten->mutable_outputs()->RemoveLast();
  EXPECT_THAT(
      Translated(),
      StatusIs(
          absl::StatusCode::kInvalidArgument,
          HasSubstr(
              "flatten_contiguous_range_grad: XShape must be written by an "
              "operator with an input X, got 'shape'")));
}

TEST_F(ToleranceTest, AnAttributeMayBeListedTwice) {
  *block()->mutable_ops(4)->add_attrs() = block()->ops(4).attrs(0);
  EXPECT_THAT(Translated(), IsOk());
  block()->mutable_ops(4)->mutable_attrs(1)->set_i(1);
  EXPECT_THAT(Translated(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("axis must be given once, got twice")));
}

TEST_F(ToleranceTest, TheConditionOfALoopIsNoFetch) {
  program_ = translate::LoopProgram();
  Remove("fetch");
  block()->mutable_ops(3)->mutable_outputs(0)->add_arguments("go");
  const auto translated = Translated();
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(Names(translated->program.fetches()), ElementsAre("total"));
}

TEST_F(ToleranceTest, PortsAreFoundByUse) {
  Remove("feed");
  Remove("fetch");
  AddDropout(true);
  AddVariable(block(), "second", {-1, 3});
  AddVariable(block(), "sum", {-1, 3});
  AddOperator(block(), "elementwise_add", {{"X", "second"}, {"Y", "hidden"}},
              {{"Out", "sum"}});
  const auto translated = Translated();
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(ir::Print(translated->program),
              HasSubstr("feed \"second\" tensor<float32[?, 3]>"));
  EXPECT_THAT(Names(translated->program.fetches()),
              ElementsAre("dropped", "sum"));
}

TEST_F(ToleranceTest, AFetchByUseIsALastWriteAndNoFeed) {
  Remove("fetch");
  AddVariable(block(), "label", {-1, 1});
  translate::SetInt(
      AddOperator(block(), "feed", {{"X", "feed"}}, {{"Out", "label"}}), "col",
      1);
  // Read and written by one operator, the last.
  AddOperator(block(), "relu", {{"X", "prob"}}, {{"Out", "prob"}});
  const auto translated = Translated();
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(Names(translated->program.fetches()), ElementsAre("prob"));
}

TEST_F(ToleranceTest, AVariableFetchedTwiceHasTwoNames) {
  translate::SetInt(
      AddOperator(block(), "fetch", {{"X", "prob"}}, {{"Out", "fetch"}}), "col",
      1);
  const auto translated = Translated();
  ASSERT_THAT(translated, IsOk());
  EXPECT_THAT(Names(translated->program.fetches()),
              ElementsAre("prob", "prob.1"));
}

TEST_F(ToleranceTest, WhatAReaderYieldsIsFed) {
  Remove("feed");
  AddOperator(block(), "create_py_reader", {}, {});
  AddOperator(block(), "read", {{"Reader", "reader"}}, {{"Out", "image"}});
  EXPECT_THAT(Text(), HasSubstr("feed \"image\" tensor<float32[?, 2]>"));
}

}  // namespace
}  // namespace switchyard::static_graph

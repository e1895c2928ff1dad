// SPDX-License-Identifier: Apache-2.0
// Gradients by the gradient makers of legacy operators, against autograd's for
// the same calls.
#include "eager/legacy/tracer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "eager/autograd/engine.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/legacy/every_operator.h"

namespace switchyard::eager {
namespace {

using phi::GradMaker;
using phi::SlotVariables;
using testing::ElementsAre;
using testing::HasSubstr;
using Floats = std::vector<float>;

Tensor Make(const Shape& shape, const Floats& values) {
  return Tensor(MakeTensor<float>(shape, absl::MakeConstSpan(values)));
}

LegacyAttribute Attr(const char* name, AttrRef value) {
  return {name, Attribute(value)};
}

Floats ValuesOf(Scope& scope, const char* name) {
  const Tensor* const tensor = scope.FindVar(name);
  if (tensor == nullptr || !tensor->defined()) return {};
  return ToVector<float>(tensor->dense());
}

// Returns the first tensor that a call yields.
Tensor First(std::string_view type, const std::vector<SlotTensors>& inputs,
             const std::vector<LegacyAttribute>& attrs = {}) {
  const auto outputs = RunLegacyOp(type, inputs, attrs);
  EXPECT_THAT(outputs, IsOk());
  return outputs.ok() ? (*outputs)[0].tensors[0] : Tensor();
}

class TracerTest : public testing::TestWithParam<GradMaker> {};

// loss = mean(relu(x w + x w + b)): w's gradient is a sum of two.
TEST_P(TracerTest, GradientsAreThoseOfAutograd) {
  Scope scope;
  scope.Var("x") = Make({2, 3}, {1, -2, 3, 0.5f, 1, -1});
  scope.Var("w") = Make({3, 2}, {1, 0.5f, -1, 2, 0.25f, 1});
  scope.Var("b") = Make({2}, {0.5f, -4});
  Tracer tracer(&scope, GetParam());
  const auto trace = [&](const char* type,
                         const std::vector<SlotVariables>& inputs,
                         const char* out) {
    EXPECT_THAT(tracer.Trace(type, inputs, {{"Out", {out}}}), IsOk());
  };
  trace("mul", {{"X", {"x"}}, {"Y", {"w"}}}, "y");
  trace("mul", {{"X", {"x"}}, {"Y", {"w"}}}, "again");
  // Written again.
  trace("elementwise_add", {{"X", {"y"}}, {"Y", {"again"}}}, "y");
  trace("elementwise_add", {{"X", {"y"}}, {"Y", {"b"}}}, "biased");
  trace("relu", {{"X", {"biased"}}}, "hidden");
  trace("mean", {{"X", {"hidden"}}}, "loss");
  EXPECT_EQ(tracer.traced(), 6u);
  ASSERT_THAT(tracer.Backward("loss", {"x"}), IsOk());
  EXPECT_EQ(tracer.traced(), 0u);

  Tensor w = scope.FindVar("w")->detach(), b = scope.FindVar("b")->detach();
  ASSERT_THAT(w.set_requires_grad(true), IsOk());
  ASSERT_THAT(b.set_requires_grad(true), IsOk());
  const SlotTensors x = {"X", {*scope.FindVar("x")}};
  const Tensor one = First("mul", {x, {"Y", {w}}});
  const Tensor two = First("mul", {x, {"Y", {w}}});
  const Tensor sum = First("elementwise_add", {{"X", {one}}, {"Y", {two}}});
  const Tensor biased = First("elementwise_add", {{"X", {sum}}, {"Y", {b}}});
  const Tensor loss =
      First("mean", {{"X", {First("relu", {{"X", {biased}}})}}});
  ASSERT_THAT(Backward({loss}), IsOk());
  EXPECT_EQ(ValuesOf(scope, "w@GRAD"), ToVector<float>(w.grad().dense()));
  EXPECT_EQ(ValuesOf(scope, "b@GRAD"), ToVector<float>(b.grad().dense()));
  EXPECT_EQ(ValuesOf(scope, "loss@GRAD"), (Floats{1}));
  EXPECT_EQ(scope.FindVar("x@GRAD"), nullptr);
}

// An intermediate output that only the gradient reads, and sequences.
TEST_P(TracerTest, SequencesAndIntermediateOutputs) {
  Scope scope;
  Tensor& x = scope.Var("x");
  x = Make({4, 1}, {3, 5, 2, 1});
  auto lod = std::make_shared<LoD>();
  lod->offsets = {{0, 2, 4}};
  x.mutable_dense().SetLod(lod);
  Tracer tracer(&scope, GetParam());
  ASSERT_THAT(tracer.Trace("sequence_pool", {{"X", {"x"}}},
                           {{"Out", {"out"}}, {"MaxIndex", {"at"}}},
                           {Attr("pooltype", "MAX")}),
              IsOk());
  EXPECT_EQ(ValuesOf(scope, "out"), (Floats{5, 2}));
  ASSERT_THAT(tracer.Backward("out"), IsOk());
  EXPECT_EQ(ValuesOf(scope, "x@GRAD"), (Floats{0, 1, 1, 0}));
}

TEST_P(TracerTest, AGradientMayBeRowsOfATable) {
  Scope scope;
  scope.Var("w") = Make({3, 2}, {1, 2, 3, 4, 5, 6});
  scope.Var("ids") = Tensor(MakeTensor<int64_t>({2}, {2, 0}));
  Tracer tracer(&scope, GetParam());
  ASSERT_THAT(tracer.Trace("lookup_table_v2", {{"W", {"w"}}, {"Ids", {"ids"}}},
                           {{"Out", {"rows"}}}, {Attr("is_sparse", true)}),
              IsOk());
  ASSERT_THAT(tracer.Backward("rows"), IsOk());
  const Tensor* const grad = scope.FindVar("w@GRAD");
  ASSERT_NE(grad, nullptr);
  EXPECT_EQ(grad->kind(), TensorKind::kSelectedRows);
}

TEST_P(TracerTest, TheSumOfTwoGradientsOfATableIsRows) {
  Scope scope;
  scope.Var("w") = Make({3, 2}, {1, 2, 3, 4, 5, 6});
  scope.Var("first") = Tensor(MakeTensor<int64_t>({2}, {2, 0}));
  scope.Var("second") = Tensor(MakeTensor<int64_t>({2}, {1, 2}));
  Tracer tracer(&scope, GetParam());
  for (const auto& [ids, rows] :
       {std::pair("first", "a"), std::pair("second", "b")}) {
    ASSERT_THAT(tracer.Trace("lookup_table_v2", {{"W", {"w"}}, {"Ids", {ids}}},
                             {{"Out", {rows}}}, {Attr("is_sparse", true)}),
                IsOk());
  }
  ASSERT_THAT(tracer.Trace("elementwise_mul", {{"X", {"a"}}, {"Y", {"b"}}},
                           {{"Out", {"out"}}}, {}),
              IsOk());
  ASSERT_THAT(tracer.Backward("out"), IsOk());
  const Tensor* const grad = scope.FindVar("w@GRAD");
  ASSERT_NE(grad, nullptr);
  ASSERT_EQ(grad->kind(), TensorKind::kSelectedRows);
  EXPECT_THAT(grad->selected_rows().rows(), ElementsAre(1, 2, 2, 0));
  EXPECT_THAT(ToVector<float>(grad->selected_rows().values()),
              ElementsAre(5, 6, 1, 2, 3, 4, 5, 6));
}

INSTANTIATE_TEST_SUITE_P(Makers, TracerTest,
                         testing::Values(GradMaker::kReads,
                                         GradMaker::kDefault));

TEST(Tracer, SaysWhatIsMissing) {
  Scope scope;
  scope.Var("x") = Make({1}, {1});
  scope.Var("unset");
  Tracer tracer(&scope);
  for (const char* name : {"nowhere", "unset"}) {
    EXPECT_THAT(tracer.Trace("relu", {{"X", {name}}}, {{"Out", {"y"}}}),
                StatusIs(absl::StatusCode::kNotFound,
                         HasSubstr("must be written before it is read")));
  }
  EXPECT_THAT(tracer.Trace("relu", {{"X", {"x"}}}, {{"Out", {"y", "z"}}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "relu: Out must be the names of 1 tensors, got 2"));
  EXPECT_EQ(scope.FindVar("y"), nullptr);
  EXPECT_THAT(tracer.Trace("no_such_op", {}, {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no_such_op")));
  // The legacy gradient of a sum is several operators.
  Scope sums;
  sums.Var("x") = Make({1}, {1});
  Tracer summing(&sums);
  ASSERT_THAT(summing.Trace("sum", {{"X", {"x", "x"}}}, {{"Out", {"y"}}}),
              IsOk());
  EXPECT_THAT(summing.Backward("y"),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("sum: its gradient has no legacy type")));
  EXPECT_THAT(tracer.Backward("y"),
              StatusIs(absl::StatusCode::kNotFound,
                       "variable 'y' must be one that was traced"));
}

// Each kind of gradient maker names slots of its own.
TEST(MakeGradOp, NamesWhatIsReadOrAll) {
  const phi::LegacyForm& form = *phi::FindLegacyForm("sequence_pool");
  const phi::LegacyForm& grad = *phi::FindLegacyForm(form.grad_type);
  const phi::LegacyOpVariables op = {
      "sequence_pool", {{"X", {"a"}}}, {{"Out", {"b"}}, {"MaxIndex", {"c"}}}};
  const auto inputs = [&](GradMaker maker) {
    std::vector<std::string> words;
    for (const SlotVariables& slot :
         phi::MakeGradOp(form, grad, op, maker).inputs) {
      words.push_back(slot.slot + "=" + slot.names[0]);
    }
    return words;
  };
  EXPECT_THAT(inputs(GradMaker::kReads),
              ElementsAre("X=a", "MaxIndex=c", "Out@GRAD=b@GRAD"));
  EXPECT_THAT(inputs(GradMaker::kDefault),
              ElementsAre("X=a", "MaxIndex=c", "Out@GRAD=b@GRAD", "Out=b",
                          "MaxIndex@GRAD=c@GRAD"));
  const auto made = phi::MakeGradOp(form, grad, op, GradMaker::kReads, {"a"});
  EXPECT_EQ(made.type, "sequence_pool_grad");
  EXPECT_THAT(made.outputs[0].names, ElementsAre(""));
}

}  // namespace
}  // namespace switchyard::eager

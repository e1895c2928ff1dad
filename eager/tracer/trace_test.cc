// SPDX-License-Identifier: Apache-2.0
#include "eager/tracer/trace.h"

#include <memory>

#include "eager/autograd/engine.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"
#include "phi/dispatch/environment.h"

namespace switchyard::eager {
namespace {

using testing::HasSubstr;
using Floats = std::vector<float>;

Tensor Make(const Shape& shape, const Floats& values) {
  return Tensor(MakeTensor<float>(shape, absl::MakeConstSpan(values)));
}

LegacyAttribute Attr(const char* name, AttrRef value) {
  return {name, Attribute(value)};
}

TEST(Trace, CallsByLegacyNames) {
  const Tensor x = Make({2, 2}, {1, 2, 3, 4});
  const Tensor y = Make({2}, {10, 20});
  const auto outs = Trace("elementwise_add", {{"X", {x}}, {"Y", {y}}},
                          {Attr("axis", int64_t{0}), Attr("op_role", 1),
                           Attr("use_mkldnn", false)});
  ASSERT_THAT(outs, IsOk());
  ASSERT_EQ(outs->size(), 1u);
  EXPECT_EQ((*outs)[0].slot, "Out");
  EXPECT_EQ(ToVector<float>((*outs)[0].tensors[0].dense()),
            (Floats{11, 12, 23, 24}));
}

TEST(Trace, UsesLegacyDefaults) {
  const auto outs = Trace("scale", {{"X", {Make({2}, {1, 2})}}}, {});
  ASSERT_THAT(outs, IsOk());
  EXPECT_EQ(ToVector<float>((*outs)[0].tensors[0].dense()), (Floats{1, 2}));
}

TEST(Trace, TensorsMaySupplyAttributes) {
  const Tensor x = Make({2}, {1, 2});
  const auto outs =
      Trace("scale", {{"X", {x}}, {"ScaleTensor", {Make({1}, {3})}}}, {});
  ASSERT_THAT(outs, IsOk());
  EXPECT_EQ(ToVector<float>((*outs)[0].tensors[0].dense()), (Floats{3, 6}));
  EXPECT_THAT(Trace("scale", {{"X", {x}}, {"ScaleTensor", {x}}}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "scale: ScaleTensor must be one element, got 2"));
}

TEST(Trace, RecordsGradients) {
  Tensor x = Make({1, 2}, {0, 0});
  ASSERT_THAT(x.set_requires_grad(true), IsOk());
  const auto outs = Trace("softmax", {{"X", {x}}}, {});
  ASSERT_THAT(outs, IsOk());
  const Tensor seed = Make({1, 2}, {1, 0});
  const Tensor out = (*outs)[0].tensors[0];
  ASSERT_THAT(Backward({out}, {seed}), IsOk());
  EXPECT_EQ(ToVector<float>(x.grad().dense()), (Floats{0.25f, -0.25f}));
}

TEST(Trace, RunsGuestsAndPassesSequencesOn) {
  DenseTensor ids = MakeTensor<int64_t>({3, 1}, {1, 0, 1});
  ids.SetLod(std::make_shared<const LoD>(LoD{{{0, 1, 3}}}));
  Tensor w = Make({2, 2}, {1, 2, 3, 4});
  ASSERT_THAT(w.set_requires_grad(true), IsOk());
  const auto outs =
      Trace("lookup_table", {{"W", {w}}, {"Ids", {Tensor(ids)}}}, {});
  ASSERT_THAT(outs, IsOk());
  const Tensor out = (*outs)[0].tensors[0];
  EXPECT_EQ(ToVector<float>(out.dense()), (Floats{3, 4, 1, 2, 3, 4}));
  ASSERT_NE(out.dense().lod(), nullptr);
  EXPECT_EQ(out.dense().lod()->offsets, ids.lod()->offsets);
  ASSERT_THAT(Backward({out}, {Make({3, 2}, {1, 1, 1, 1, 1, 1})}), IsOk());
  EXPECT_EQ(ToVector<float>(w.grad().dense()), (Floats{1, 1, 2, 2}));
}

// Both forms of softmax through the same selection: the policy filters.
TEST(Trace, PolicyChoosesTheForm) {
  const Tensor x = Make({1, 2}, {0, 0});
  for (const phi::Form form : {phi::Form::kPhi, phi::Form::kFluid}) {
    phi::selection::Policy policy;
    policy.form = form;
    const phi::dispatch::PolicyScope scope(policy);
    const auto outs = Trace("softmax", {{"X", {x}}}, {});
    ASSERT_THAT(outs, IsOk());
    EXPECT_EQ(ToVector<float>((*outs)[0].tensors[0].dense()),
              (Floats{0.5f, 0.5f}));
  }
}

TEST(Trace, ReportsWhatItIsGiven) {
  const Tensor x = Make({2}, {1, 2});
  EXPECT_THAT(Trace("no_such_op", {}, {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no_such_op")));
  EXPECT_FALSE(HasLegacyType("no_such_op"));
  EXPECT_TRUE(HasLegacyType("softmax_grad"));
  const auto refused = [](const auto& outs, const std::string& text) {
    EXPECT_THAT(outs, StatusIs(absl::StatusCode::kInvalidArgument, text));
  };
  refused(Trace("softmax", {}, {}), "softmax: X must be given, got none");
  refused(Trace("softmax", {{"x", {x}}}, {}),
          "softmax: inputs must be of X, got x");
  refused(Trace("softmax", {{"X", {x, x}}}, {}),
          "softmax: X must be one tensor, got 2");
  refused(Trace("softmax", {{"X", {x}}}, {Attr("dim", 1)}),
          "softmax: attributes must be of axis, got dim");
  const auto wrong = Trace("softmax", {{"X", {x}}}, {Attr("axis", "last")});
  refused(wrong, "softmax: axis must be int, got str");
  EXPECT_TRUE(IsTypeError(wrong.status()));
}

TEST(Trace, ReportsWhatTheOperatorRefuses) {
  EXPECT_THAT(Trace("softmax", {{"X", {Make({2}, {1, 2})}}}, {Attr("axis", 5)}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       "softmax: axis must be in [-1, 1), got 5"));
}

}  // namespace
}  // namespace switchyard::eager

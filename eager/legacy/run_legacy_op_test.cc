// SPDX-License-Identifier: Apache-2.0
#include "eager/legacy/run_legacy_op.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

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

TEST(RunLegacyOp, CallsByLegacyNames) {
  const Tensor x = Make({2, 2}, {1, 2, 3, 4});
  const Tensor y = Make({2}, {10, 20});
  const auto outs = RunLegacyOp("elementwise_add", {{"X", {x}}, {"Y", {y}}},
                                {Attr("axis", int64_t{0}), Attr("op_role", 1),
                                 Attr("use_mkldnn", false)});
  ASSERT_THAT(outs, IsOk());
  ASSERT_EQ(outs->size(), 1u);
  EXPECT_EQ((*outs)[0].slot, "Out");
  EXPECT_EQ(ToVector<float>((*outs)[0].tensors[0].dense()),
            (Floats{11, 12, 23, 24}));
}

TEST(RunLegacyOp, UsesLegacyDefaults) {
  const auto outs = RunLegacyOp("scale", {{"X", {Make({2}, {1, 2})}}}, {});
  ASSERT_THAT(outs, IsOk());
  EXPECT_EQ(ToVector<float>((*outs)[0].tensors[0].dense()), (Floats{1, 2}));
}

TEST(RunLegacyOp, TensorsMaySupplyAttributes) {
  const Tensor x = Make({2}, {1, 2});
  const auto outs =
      RunLegacyOp("scale", {{"X", {x}}, {"ScaleTensor", {Make({1}, {3})}}}, {});
  ASSERT_THAT(outs, IsOk());
  EXPECT_EQ(ToVector<float>((*outs)[0].tensors[0].dense()), (Floats{3, 6}));
  EXPECT_THAT(RunLegacyOp("scale", {{"X", {x}}, {"ScaleTensor", {x}}}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "scale: ScaleTensor must be one element, got 2"));
}

TEST(RunLegacyOp, RecordsGradients) {
  Tensor x = Make({1, 2}, {0, 0});
  ASSERT_THAT(x.set_requires_grad(true), IsOk());
  const auto outs = RunLegacyOp("softmax", {{"X", {x}}}, {});
  ASSERT_THAT(outs, IsOk());
  const Tensor seed = Make({1, 2}, {1, 0});
  const Tensor out = (*outs)[0].tensors[0];
  ASSERT_THAT(Backward({out}, {seed}), IsOk());
  EXPECT_EQ(ToVector<float>(x.grad().dense()), (Floats{0.25f, -0.25f}));
}

TEST(RunLegacyOp, RunsGuestsAndPassesSequencesOn) {
  DenseTensor ids = MakeTensor<int64_t>({3, 1}, {1, 0, 1});
  ids.SetLod(std::make_shared<const LoD>(LoD{{{0, 1, 3}}}));
  Tensor w = Make({2, 2}, {1, 2, 3, 4});
  ASSERT_THAT(w.set_requires_grad(true), IsOk());
  const auto outs =
      RunLegacyOp("lookup_table", {{"W", {w}}, {"Ids", {Tensor(ids)}}}, {});
  ASSERT_THAT(outs, IsOk());
  const Tensor out = (*outs)[0].tensors[0];
  EXPECT_EQ(ToVector<float>(out.dense()), (Floats{3, 4, 1, 2, 3, 4}));
  ASSERT_NE(out.dense().lod(), nullptr);
  EXPECT_EQ(out.dense().lod()->offsets, ids.lod()->offsets);
  ASSERT_THAT(Backward({out}, {Make({3, 2}, {1, 1, 1, 1, 1, 1})}), IsOk());
  EXPECT_EQ(ToVector<float>(w.grad().dense()), (Floats{1, 1, 2, 2}));
}

// Both forms of softmax through the same selection: the policy filters.
TEST(RunLegacyOp, PolicyChoosesTheForm) {
  const Tensor x = Make({1, 2}, {0, 0});
  for (const phi::KernelOrigin origin :
       {phi::KernelOrigin::kPhi, phi::KernelOrigin::kFluid}) {
    phi::selection::Policy policy;
    policy.origin = origin;
    const phi::dispatch::PolicyScope scope(policy);
    const auto outs = RunLegacyOp("softmax", {{"X", {x}}}, {});
    ASSERT_THAT(outs, IsOk());
    EXPECT_EQ(ToVector<float>((*outs)[0].tensors[0].dense()),
              (Floats{0.5f, 0.5f}));
  }
}

TEST(RunLegacyOp, ReportsWhatItIsGiven) {
  const Tensor x = Make({2}, {1, 2});
  EXPECT_THAT(RunLegacyOp("no_such_op", {}, {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no_such_op")));
  EXPECT_FALSE(HasLegacyType("no_such_op"));
  EXPECT_TRUE(HasLegacyType("softmax_grad"));
  const auto refused = [](const auto& outs, const std::string& text) {
    EXPECT_THAT(outs, StatusIs(absl::StatusCode::kInvalidArgument, text));
  };
  refused(RunLegacyOp("softmax", {}, {}), "softmax: X must be given, got none");
  refused(RunLegacyOp("softmax", {{"x", {x}}}, {}),
          "softmax: inputs must be of X, got x");
  refused(RunLegacyOp("softmax", {{"X", {x, x}}}, {}),
          "softmax: X must be one tensor, got 2");
  refused(RunLegacyOp("softmax", {{"X", {x}}}, {Attr("dim", 1)}),
          "softmax: dim must be absent or neutral (the form has axis), got 1");
  const auto wrong =
      RunLegacyOp("softmax", {{"X", {x}}}, {Attr("axis", "last")});
  refused(wrong, "softmax: axis must be int, got str");
  EXPECT_TRUE(IsTypeError(wrong.status()));
}

TEST(RunLegacyOp, ReportsWhatTheOperatorRefuses) {
  EXPECT_THAT(
      RunLegacyOp("softmax", {{"X", {Make({2}, {1, 2})}}}, {Attr("axis", 5)}),
      StatusIs(absl::StatusCode::kOutOfRange,
               "softmax: axis must be in [-1, 1), got 5"));
}

struct BadGradient {
  const char* type;
  std::vector<SlotTensors> inputs;
  std::vector<LegacyAttribute> attrs;
  const char* message;
};

void ExpectRefused(const BadGradient& call, bool recorded) {
  std::vector<SlotTensors> inputs = call.inputs;
  for (SlotTensors& input : inputs) {
    for (Tensor& tensor : input.tensors) {
      tensor = tensor.detach();
      ASSERT_THAT(tensor.set_requires_grad(recorded), IsOk());
    }
  }
  const auto outs = RunLegacyOp(call.type, inputs, call.attrs);
  EXPECT_THAT(std::string(outs.status().message()),
              testing::EndsWith(call.message))
      << call.type;
}

// Composites index by what is refused here.
TEST(RunLegacyOp, GradientsCheckTheirArguments) {
  const int64_t least = std::numeric_limits<int>::min();
  const int64_t twice[] = {-4, -4}, beyond[] = {least};
  const Tensor flat = Make({3}, {1, 1, 1});
  const Tensor x = Make({2, 3}, {1, 1, 1, 1, 1, 1});
  const Tensor y = Make({3, 2}, {1, 1, 1, 1, 1, 1});
  const Tensor scalar = Make({}, {1}), square = Make({2, 2}, {1, 1, 1, 1});
  const SlotTensors in = {"X", {x}};
  const BadGradient calls[] = {
      {"pad_grad",
       {in, {"Out@GRAD", {x}}},
       {Attr("paddings", absl::Span<const int64_t>())},
       "paddings must be 4 numbers, two for an axis, got 0"},
      {"trace_grad",
       {{"Input", {square}}, {"Out@GRAD", {scalar}}},
       {Attr("axis1", least)},
       "axis1 must be in [-2, 2), got -2147483648"},
      {"matmul_v2_grad",
       {{"X", {flat}}, {"Y", {y}}, {"Out@GRAD", {scalar}}},
       {},
       "out_grad must be of shape [2], got []"},
      {"transpose_grad",
       {{"Out@GRAD", {x}}},
       {Attr("axis", absl::MakeConstSpan(twice))},
       "perm must be in [-2, 2), got -4"},
      {"reduce_prod_grad",
       {in, {"Out@GRAD", {scalar}}},
       {Attr("dim", absl::MakeConstSpan(beyond))},
       "axis must be in [-2, 2), got -2147483648"},
      {"reduce_sum_grad",
       {in, {"Out@GRAD", {scalar}}},
       {Attr("dim", absl::MakeConstSpan(beyond))},
       "axis must be in [-2, 2), got -2147483648"},
      {"mul_grad",
       {in, {"Y", {y}}, {"Out@GRAD", {square}}},
       {Attr("x_num_col_dims", least)},
       "x_num_col_dims must be in [1, 2), got -2147483648"},
      {"concat_grad",
       {in, {"Out@GRAD", {x}}},
       {Attr("axis", least)},
       "axis must be in [-2, 2), got -2147483648"},
      {"elementwise_sub_grad",
       {in, {"Y", {flat}}, {"Out@GRAD", {x}}},
       {Attr("axis", least)},
       "axis must be -1 or in [0, 1], got -2147483648"},
  };
  for (const BadGradient& call : calls) {
    ExpectRefused(call, /*recorded=*/false);
    ExpectRefused(call, /*recorded=*/true);
  }
}

// Other places: tests/sim/legacy_on_sim_test.py.
TEST(RunLegacyOp, RunsOnThePlaceThatItIsTold) {
  const SlotTensors x = {"X", {Make({2}, {1, -2})}};
  for (const char* device : {"", "all", "cpu"}) {
    const auto outs = RunLegacyOp("relu", {x}, {Attr("op_device", device)});
    ASSERT_THAT(outs, IsOk());
    EXPECT_EQ(ToVector<float>((*outs)[0].tensors[0].dense()), (Floats{1, 0}));
  }
  EXPECT_THAT(RunLegacyOp("relu", {x}, {Attr("op_device", "gpu:all")}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "relu: op_device must be \"\", \"all\" or a place such "
                       "as \"cpu\" or \"gpu:0\", of a kind that is linked, got "
                       "\"gpu:all\""));
  EXPECT_THAT(RunLegacyOp("relu", {x}, {Attr("op_device", "gpu:0")}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("relu: op_device: place must be ")));
  EXPECT_THAT(RunLegacyOp("relu", {x}, {Attr("force_cpu", true)}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "relu: force_cpu must be absent or neutral, got true"));
}

Floats Random(std::vector<SlotTensors> inputs,
              std::vector<LegacyAttribute> attrs) {
  const int64_t shape[] = {4};
  attrs.push_back(Attr("shape", absl::MakeConstSpan(shape)));
  const auto outs = RunLegacyOp("uniform_random", inputs, attrs);
  if (!outs.ok()) return {};
  return ToVector<float>((*outs)[0].tensors[0].dense());
}

TEST(RunLegacyOp, ASeedFixesTheNumbers) {
  const Floats seven = Random({}, {Attr("seed", 7)});
  EXPECT_EQ(seven.size(), 4u);
  EXPECT_EQ(Random({}, {Attr("seed", 7)}), seven);
  EXPECT_NE(Random({}, {Attr("seed", 8)}), seven);
  EXPECT_NE(Random({}, {}), Random({}, {Attr("seed", 0)}));
}

TEST(RunLegacyOp, DropoutTakesASeedThatIsFixed) {
  const Tensor x(MakeTensor<float>({64}, Floats(64, 1)));
  const auto kept = [&](std::vector<LegacyAttribute> attrs,
                        const std::vector<Tensor>& seed) {
    std::vector<SlotTensors> inputs = {{"X", {x}}};
    if (!seed.empty()) inputs.push_back({"Seed", seed});
    const auto outs = RunLegacyOp("dropout", inputs, attrs);
    return outs.ok() ? ToVector<float>((*outs)[0].tensors[0].dense())
                     : Floats();
  };
  const LegacyAttribute seed = Attr("seed", 7);
  const LegacyAttribute fix = Attr("fix_seed", true);
  EXPECT_EQ(kept({seed, fix}, {}).size(), 64u);
  EXPECT_EQ(kept({seed, fix}, {}), kept({seed, fix}, {}));
  EXPECT_NE(kept({seed}, {}), kept({seed}, {}));
  const Tensor given(MakeTensor<int>({1}, {7}));
  EXPECT_EQ(kept({}, {given}), kept({seed, fix}, {}));
}

TEST(RunLegacyOp, LongTensorsSupplyNoAttribute) {
  const Tensor x = Make({2}, {1, 2});
  const Tensor shape(EmptyTensor(DataType::kInt64, {70000}));
  EXPECT_THAT(RunLegacyOp("reshape2", {{"X", {x}}, {"Shape", {shape}}}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("Shape must be of at most 65535 elements")));
}

}  // namespace
}  // namespace switchyard::eager

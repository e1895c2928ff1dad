// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/rnn/recurrent.h"

#include <cstdint>

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(RecurrentInferMetaTest, StatesHaveTheRowsOfTheInput) {
  TensorSpec input = Meta({kUnknown, 9});
  input.lod_levels = 1;
  TensorSpec hidden, gates, reset, batch;
  ASSERT_THAT(
      GruInferMeta(input, nullptr, Meta({3, 9}), nullptr, "tanh", "sigmoid",
                   false, false, &hidden, &gates, &reset, &batch),
      IsOk());
  EXPECT_THAT(hidden, IsFloats({kUnknown, 3}));
  EXPECT_EQ(hidden.lod_levels, 1);
  EXPECT_THAT(gates, IsFloats({kUnknown, 9}));
  EXPECT_EQ(gates.lod_levels, 0);
}

TEST(RecurrentInferMetaTest, AGradientOfWhatIsAbsent) {
  const TensorSpec input = Meta({5, 9}), weight = Meta({3, 9});
  const TensorSpec hidden = Meta({5, 3});
  TensorSpec h0_grad, bias_grad;
  const auto infer = [&](TensorSpec* wanted) {
    return GruGradInferMeta(input, nullptr, weight, nullptr, hidden, input,
                            hidden, "tanh", "sigmoid", false, false, nullptr,
                            wanted, nullptr, &bias_grad);
  };
  EXPECT_THAT(infer(nullptr), IsOk());
  EXPECT_THAT(bias_grad, IsFloats({1, 9}));
  EXPECT_THAT(infer(&h0_grad), IsOk());
  EXPECT_THAT(h0_grad, IsFloats({kUnknown, 3}));
}

TEST(RecurrentInferMetaTest, PeepholesAreInTheBias) {
  const TensorSpec input = Meta({5, 8}), weight = Meta({2, 8});
  TensorSpec hidden, cell, gates, active;
  const auto infer = [&](const TensorSpec& bias, bool peepholes) {
    return LstmInferMeta(input, nullptr, nullptr, weight, bias, peepholes,
                         false, "sigmoid", "tanh", "relu", &hidden, &cell,
                         &gates, &active);
  };
  EXPECT_THAT(infer(Meta({1, 14}), true), IsOk());
  EXPECT_THAT(cell, IsFloats({5, 2}));
  EXPECT_THAT(infer(Meta({1, 8}), false), IsOk());
  EXPECT_THAT(infer(Meta({1, 8}), true),
              IsArgumentError("bias must be of shape [1, 14], got [1, 8]"));
}

TEST(RecurrentInferMetaTest, WidthsThatLeaveInt64AreErrors) {
  TensorSpec hidden;
  EXPECT_THAT(GruInferMeta(Meta({2, 9}), nullptr, Meta({INT64_MAX / 2, 9}),
                           nullptr, "tanh", "sigmoid", false, false, &hidden,
                           nullptr, nullptr, nullptr),
              IsSizeError());
}

TEST(RecurrentInferMetaTest, LevelsOfLodReset) {
  TensorSpec x = Meta({6, 2}), y = Meta({6, 1}), out;
  x.lod_levels = 1;
  ASSERT_THAT(LodResetInferMeta(x, nullptr, false, &out), IsOk());
  EXPECT_EQ(out.lod_levels, 1);
  ASSERT_THAT(LodResetInferMeta(x, nullptr, true, &out), IsOk());
  EXPECT_EQ(out.lod_levels, 2);
  y.lod_levels = 3;
  ASSERT_THAT(LodResetInferMeta(x, &y, false, &out), IsOk());
  EXPECT_EQ(out.lod_levels, 3);
}

TEST(RecurrentInferMetaTest, BatchesOfSequences) {
  TensorSpec out, length;
  ASSERT_THAT(SequencePadInferMeta(Meta({6, 2}), Meta({1}), 4, &out, &length),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 4, 2}));
  ASSERT_THAT(SequencePadInferMeta(Meta({6, 2}), Meta({1}), -1, &out, &length),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, kUnknown, 2}));
  ASSERT_THAT(
      SequenceUnpadInferMeta(Meta({2, 4}), Meta({2}, DataType::kInt64), &out),
      IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 1}));
  ASSERT_THAT(SequenceMaskInferMeta(Meta({2}, DataType::kInt64), AttrValue(),
                                    DataType::kBool, &out),
              IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2, kUnknown}), DataType::kBool));
}

}  // namespace
}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/data_movement/assignment.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

using Integers = std::vector<int64_t>;

absl::Status Infer(const TensorSpec& x, const TensorSpec& value,
                   const Integers& decrease_axes, const Integers& none_axes,
                   AttrValues ends = {2}) {
  TensorSpec out;
  const Integers axes = {0}, starts = {1}, steps = {1};
  SY_RETURN_IF_ERROR(SetValueInferMeta(x, &value, axes, starts, ends, steps,
                                       decrease_axes, none_axes, {}, {}, &out));
  EXPECT_EQ(out.shape, x.shape);
  EXPECT_EQ(out.dtype, x.dtype);
  return absl::OkStatus();
}

TEST(SetValueInferMetaTest, BroadcastsTheValueToTheSlice) {
  const TensorSpec x = Meta({4, 3});
  EXPECT_THAT(Infer(x, Meta({3}), {0}, {}), IsOk());
  EXPECT_THAT(Infer(x, Meta({1, 1, 1, 3}), {0}, {}), IsOk());
  EXPECT_THAT(Infer(x, Meta({1, 3, 1}), {0}, {2}), IsOk());
  EXPECT_THAT(Infer(x, Meta({2}), {0}, {}),
              IsArgumentError("value_tensor must be of a shape that broadcasts "
                              "to [3], got [2]"));
  EXPECT_THAT(Infer(x, Meta({3, 1}), {0}, {2}), IsOk());
  EXPECT_THAT(Infer(x, Meta({3, 2}), {0}, {2}), IsArgumentError("[3, 1]"));
}

TEST(SetValueInferMetaTest, LeavesUnknownExtentsOpen) {
  const std::vector<AttrValue> unknown = {AttrValue()};
  EXPECT_THAT(Infer(Meta({kUnknown, 3}), Meta({5, 3}), {}, {}, unknown),
              IsOk());
  EXPECT_THAT(Infer(Meta({4, 3}), Meta({3}), {0}, {}, unknown), IsOk());
  EXPECT_THAT(Infer(Meta({kUnknown, 3}), Meta({2}), {}, {}, unknown),
              IsArgumentError("value_tensor"));
  EXPECT_THAT(Infer(Meta({kUnknown, 3}), Meta({3}), {}, {}), IsOk());
}

TEST(SetValueGradInferMetaTest, FollowsTheForwardRule) {
  TensorSpec x_grad, value_grad;
  const TensorSpec value = Meta({3}), other = Meta({2});
  const Integers axes = {0}, starts = {1}, ends = {2}, steps = {1};
  EXPECT_THAT(SetValueGradInferMeta(&value, Meta({4, 3}), axes, starts, ends,
                                    steps, {}, {}, &x_grad, &value_grad),
              IsOk());
  EXPECT_THAT(x_grad, IsFloats({4, 3}));
  EXPECT_THAT(value_grad, IsFloats({3}));
  EXPECT_THAT(SetValueGradInferMeta(nullptr, Meta({4, 3}), axes, starts, ends,
                                    steps, {}, {}, &x_grad, nullptr),
              IsOk());
  EXPECT_THAT(SetValueGradInferMeta(&other, Meta({4, 3}), axes, starts, ends,
                                    steps, {}, {}, &x_grad, &value_grad),
              IsArgumentError("value_tensor"));
}

}  // namespace
}  // namespace switchyard::phi

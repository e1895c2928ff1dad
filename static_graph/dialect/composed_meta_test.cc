// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/composed_meta.h"

#include <vector>

#include "framework/testing/matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "phi/core/infer_meta_context.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph {
namespace {

using ::testing::HasSubstr;

class ComposedMetaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(RegisterDialects(&context_, AllDialectOps()), IsOk());
  }

  // Infers the only result of an operator of one tensor.
  absl::Status Infer(const char* op, const TensorSpec& x, TensorSpec* out) {
    const std::vector<const TensorSpec*> inputs = {&x};
    const std::vector<TensorSpec*> outputs = {out};
    return InferByComposite(*FindOperator(context_, op)->info,
                            {inputs, {}, outputs});
  }

  ir::Context context_;
};

TensorSpec Floats(Shape shape) {
  TensorSpec spec;
  spec.dtype = DataType::kFloat32;
  spec.shape = std::move(shape);
  return spec;
}

TEST_F(ComposedMetaTest, InfersByTheComposite) {
  TensorSpec out;
  ASSERT_THAT(Infer("any_nan", Floats({2, 3}), &out), IsOk());
  EXPECT_EQ(out.dtype, DataType::kBool);
  EXPECT_EQ(out.shape, Shape());
}

TEST_F(ComposedMetaTest, RefusesAsThePartsDo) {
  TensorSpec out;
  EXPECT_THAT(Infer("as_complex", Floats({2, 3}), &out),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2")));
}

TEST_F(ComposedMetaTest, KnowsNothingOfAnOperatorWithoutComposite) {
  TensorSpec out;
  EXPECT_THAT(Infer("relu", Floats({2}), &out),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("what relu yields can't be inferred")));
}

}  // namespace
}  // namespace switchyard::static_graph

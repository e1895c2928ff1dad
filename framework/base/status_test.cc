// SPDX-License-Identifier: Apache-2.0
#include "framework/base/status.h"

#include <string>

#include "absl/strings/cord.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(StatusTest, TheSentenceNamesArgumentExpectedAndGot) {
  const absl::Status status = ArgumentError("shape", "of rank 2", "[3]");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "shape must be of rank 2, got [3]");
}

TEST(StatusTest, CodesTellTheKindsApart) {
  EXPECT_EQ(RangeError("axis", "in [-2, 2)", "5").ToString(),
            "OUT_OF_RANGE: axis must be in [-2, 2), got 5");
  EXPECT_EQ(SizeError("shape", "small", "big").ToString(),
            "RESOURCE_EXHAUSTED: shape must be small, got big");
  const absl::Status type = TypeError("x", "float32", "int64");
  EXPECT_EQ(type.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(type.message(), "x must be float32, got int64");
  EXPECT_TRUE(IsTypeError(type));
  EXPECT_FALSE(IsTypeError(ArgumentError("x", "1", "2")));
  EXPECT_FALSE(IsTypeError(absl::OkStatus()));
}

TEST(StatusTest, AnnotatePrefixesAndKeepsCodeAndPayloads) {
  absl::Status status = TypeError("x", "float32", "int64");
  status.SetPayload("other", absl::Cord("kept"));
  const absl::Status annotated = Annotate(status, "softmax");
  EXPECT_EQ(annotated.message(), "softmax: x must be float32, got int64");
  EXPECT_TRUE(IsTypeError(annotated));
  EXPECT_EQ(annotated.GetPayload("other"), absl::Cord("kept"));
  EXPECT_EQ(Annotate(absl::OutOfRangeError("a"), "b").code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_TRUE(Annotate(absl::OkStatus(), "softmax").ok());
}

absl::StatusOr<int> Positive(int value) {
  if (value > 0) return value;
  return ArgumentError("value", "positive", std::to_string(value));
}

absl::Status SumOfPositives(int a, int b, int* sum) {
  SY_ASSIGN_OR_RETURN(const int x, Positive(a));
  SY_ASSIGN_OR_RETURN(const int y, Positive(b));
  *sum = x + y;
  return absl::OkStatus();
}

absl::StatusOr<int> Doubled(int value) {
  int sum = 0;
  SY_RETURN_IF_ERROR(SumOfPositives(value, value, &sum));
  return sum;
}

TEST(StatusTest, MacrosPassValuesAndErrorsOn) {
  EXPECT_EQ(*Doubled(4), 8);
  EXPECT_EQ(Doubled(-4).status(), ArgumentError("value", "positive", "-4"));
}

}  // namespace
}  // namespace switchyard

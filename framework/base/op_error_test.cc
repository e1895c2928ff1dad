// SPDX-License-Identifier: Apache-2.0
#include "framework/base/op_error.h"

#include <memory>

#include "framework/base/status.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(OpErrorTest, CarriesTheStatusAndItsMessage) {
  const absl::Status status =
      Annotate(TypeError("x", "float32", "int64"), "softmax");
  try {
    ThrowIfError(status);
    FAIL() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_STREQ(error.what(), "softmax: x must be float32, got int64");
    const auto* op_error = dynamic_cast<const OpError*>(&error);
    ASSERT_NE(op_error, nullptr);
    EXPECT_EQ(op_error->status(), status);
    EXPECT_TRUE(IsTypeError(op_error->status()));
  }
}

TEST(OpErrorTest, OkThrowsNothing) {
  EXPECT_NO_THROW(ThrowIfError(absl::OkStatus()));
}

TEST(OpErrorTest, ValueOrThrowMovesTheValueOut) {
  absl::StatusOr<std::unique_ptr<int>> result = std::make_unique<int>(7);
  EXPECT_EQ(*ValueOrThrow(std::move(result)), 7);
  EXPECT_THROW(
      ValueOrThrow(absl::StatusOr<int>(RangeError("axis", "in [0, 1)", "2"))),
      OpError);
}

}  // namespace
}  // namespace switchyard

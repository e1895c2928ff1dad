// SPDX-License-Identifier: Apache-2.0
// GoogleTest matchers for statuses and tensors. Making tensors is
// framework/testing/tensors.h.
//   EXPECT_THAT(Validate(lod, 6), IsOk());
//   EXPECT_THAT(NormalizeAxis("axis", -1, 3), IsOkAndHolds(2));
//   EXPECT_THAT(status, StatusIs(absl::StatusCode::kOutOfRange,
//                                HasSubstr("axis must be")));
//   EXPECT_THAT(out, TensorNear(expected, Ulps(4)));
#ifndef SWITCHYARD_FRAMEWORK_TESTING_MATCHERS_H_
#define SWITCHYARD_FRAMEWORK_TESTING_MATCHERS_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "framework/tensor/dense_tensor.h"
#include "gmock/gmock.h"

namespace switchyard {

inline const absl::Status& GetStatus(const absl::Status& status) {
  return status;
}
template <typename T>
const absl::Status& GetStatus(const absl::StatusOr<T>& result) {
  return result.status();
}

// A Status or StatusOr that is OK.
MATCHER(IsOk, negation ? "is an error" : "is OK") {
  *result_listener << GetStatus(arg).ToString();
  return arg.ok();
}

// A StatusOr that is OK and whose value `value_matcher` (or value) accepts.
MATCHER_P(IsOkAndHolds, value_matcher,
          "is OK and has a value that " +
              ::testing::PrintToString(value_matcher)) {
  if (!arg.ok()) {
    *result_listener << arg.status().ToString();
    return false;
  }
  return ::testing::ExplainMatchResult(value_matcher, *arg, result_listener);
}

// A Status or StatusOr of this code.
MATCHER_P(StatusIs, code,
          "has the status code " + absl::StatusCodeToString(code)) {
  *result_listener << GetStatus(arg).ToString();
  return GetStatus(arg).code() == code;
}

// A Status or StatusOr of this code whose message `message_matcher` (or text)
// accepts.
MATCHER_P2(StatusIs, code, message_matcher,
           "has the status code " + absl::StatusCodeToString(code) +
               " and a message that " +
               ::testing::PrintToString(message_matcher)) {
  const std::string message(GetStatus(arg).message());
  *result_listener << GetStatus(arg).ToString() << ' ';
  return GetStatus(arg).code() == code &&
         ::testing::ExplainMatchResult(message_matcher, message,
                                       result_listener);
}

// An element passes if any of the three lets it: |actual - expected| at most
// absolute, at most relative * |expected|, or at most `ulps` representable
// numbers between them. NaN passes for NaN. All zero: equal, -0 and 0 too.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
  int64_t ulps = 0;
};

inline Tolerance Ulps(int64_t ulps) { return {0, 0, ulps}; }
inline Tolerance Within(double absolute, double relative = 0) {
  return {absolute, relative, 0};
}

// Success if dtype, shape and every element agree; the failure names the first
// element that does not, and how many don't. Strides may differ.
::testing::AssertionResult TensorsNear(const DenseTensor& actual,
                                       const DenseTensor& expected,
                                       Tolerance tolerance = {});

// Success if dtype and shape agree, and the bytes of every element.
::testing::AssertionResult TensorsIdentical(const DenseTensor& actual,
                                            const DenseTensor& expected);

// How many representable numbers `a` is from `b`, of a floating dtype;
// INT64_MAX if one of them is NaN and the other is not.
int64_t UlpDistance(float a, float b);
int64_t UlpDistance(double a, double b);

MATCHER_P2(TensorNear, expected, tolerance,
           "is near the tensor " + ToString(expected)) {
  const auto result = TensorsNear(arg, expected, tolerance);
  *result_listener << result.message();
  return result;
}

MATCHER_P(TensorIdentical, expected,
          "has the bits of the tensor " + ToString(expected)) {
  const auto result = TensorsIdentical(arg, expected);
  *result_listener << result.message();
  return result;
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TESTING_MATCHERS_H_

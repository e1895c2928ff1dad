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
#include <optional>
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

// Accepts a Status or StatusOr of this code whose message `message` accepts.
// Its functions are in matchers.cc: those of a class that MATCHER defines are
// compiled in each test again.
class StatusMatcher {
 public:
  using is_gtest_matcher = void;
  explicit StatusMatcher(absl::StatusCode code);
  StatusMatcher(absl::StatusCode code,
                ::testing::Matcher<const std::string&> message);
  StatusMatcher(const StatusMatcher& other);
  StatusMatcher& operator=(const StatusMatcher& other);
  ~StatusMatcher();

  template <typename T>
  bool MatchAndExplain(const T& value,
                       ::testing::MatchResultListener* listener) const {
    return Accepts(GetStatus(value), listener);
  }
  void DescribeTo(std::ostream* os) const;
  void DescribeNegationTo(std::ostream* os) const;

 private:
  bool Accepts(const absl::Status& status,
               ::testing::MatchResultListener* listener) const;

  absl::StatusCode code_;
  std::optional<::testing::Matcher<const std::string&>> message_;
};

// A Status or StatusOr that is OK.
inline StatusMatcher IsOk() { return StatusMatcher(absl::StatusCode::kOk); }

// A Status or StatusOr of this code.
inline StatusMatcher StatusIs(absl::StatusCode code) {
  return StatusMatcher(code);
}

// A Status or StatusOr of this code whose message `message` (or text) accepts.
inline StatusMatcher StatusIs(absl::StatusCode code,
                              ::testing::Matcher<const std::string&> message) {
  return StatusMatcher(code, std::move(message));
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

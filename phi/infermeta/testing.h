// SPDX-License-Identifier: Apache-2.0
// Metadata for InferMeta tests, short to write.
#ifndef SWITCHYARD_PHI_INFERMETA_TESTING_H_
#define SWITCHYARD_PHI_INFERMETA_TESTING_H_

#include "framework/testing/matchers.h"
#include "framework/types/tensor_spec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace switchyard::phi {

inline constexpr int64_t kHuge = int64_t{1} << 40;
inline constexpr Dim kUnknown = Dim::Unknown();

inline TensorSpec Meta(Shape shape, DataType dtype = DataType::kFloat32) {
  TensorSpec meta;
  meta.dtype = dtype;
  meta.shape = std::move(shape);
  return meta;
}

MATCHER_P2(IsMeta, shape, dtype, "is " + ToString(Shape(shape))) {
  *result_listener << Name(arg.dtype).data() << ToString(arg.shape);
  return arg.shape == Shape(shape) && arg.dtype == dtype;
}
inline auto IsFloats(Shape shape) { return IsMeta(shape, DataType::kFloat32); }

inline auto IsArgumentError(const std::string& text) {
  return StatusIs(absl::StatusCode::kInvalidArgument,
                  ::testing::HasSubstr(text));
}
inline auto IsRangeError(const std::string& text) {
  return StatusIs(absl::StatusCode::kOutOfRange, ::testing::HasSubstr(text));
}
inline auto IsSizeError() {
  return StatusIs(absl::StatusCode::kResourceExhausted);
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_TESTING_H_

// SPDX-License-Identifier: Apache-2.0
// A linear regression that Paddle 1.7 trained, against the outputs that Paddle
// 3.3.1 computes from it.
#include <cstring>
#include <string>

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"
#include "tests/paddle_programs/run_program.h"

namespace switchyard {
namespace {

constexpr char kModel[] = "../shared_data/models/uci_housing_fit_a_line";
constexpr char kGolden[] = "../shared_data/golden/uci_housing_fit_a_line/";

// Raw little-endian float32 numbers.
absl::StatusOr<DenseTensor> ReadFloats(const std::string& name,
                                       const Shape& shape) {
  SY_ASSIGN_OR_RETURN(const std::string bytes, ReadInflated(kGolden + name));
  DenseTensor tensor = EmptyTensor(DataType::kFloat32, shape);
  if (bytes.size() != sizeof(float) * static_cast<size_t>(tensor.numel())) {
    return absl::DataLossError(name + " has another size");
  }
  std::memcpy(tensor.mutable_data<float>(), bytes.data(), bytes.size());
  return tensor;
}

TEST(UciHousing, AgreesWithPaddle) {
  auto runnable = LoadForRuns(kModel);
  ASSERT_THAT(runnable, IsOk());
  const auto x = ReadFloats("input_x.f32", {5, 13});
  ASSERT_THAT(x, IsOk());
  const auto expected = ReadFloats("output_0.f32", {5, 1});
  ASSERT_THAT(expected, IsOk());
  const auto fetches = runnable->program->Run({{"x", *x}}, &runnable->state);
  ASSERT_THAT(fetches, IsOk());
  ASSERT_EQ(fetches->size(), 1u);
  EXPECT_THAT((*fetches)[0].tensor, TensorNear(*expected, Within(1e-5, 1e-5)));
}

}  // namespace
}  // namespace switchyard

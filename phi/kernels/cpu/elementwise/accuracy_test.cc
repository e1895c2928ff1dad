// SPDX-License-Identifier: Apache-2.0
// Unary kernels against functions of long double, at every instruction set that
// the machine has: all inputs that float16 and bfloat16 have within one unit in
// the last place of the exact result, floats of a dense sample within two.
#include <cstring>
#include <string>
#include <vector>

#include "framework/types/float16.h"
#include "gtest/gtest.h"
#include "phi/kernels/testing/functor_rows.h"
#include "phi/kernels/testing/kernel_cases.h"
#include "phi/kernels/testing/simd_levels.h"
#include "phi/kernels/testing/worst_error.h"

namespace switchyard::phi::kernels::cpu {
namespace {

using Number = FunctorRow::Number;

// Rows with a function of one number; those that hold in float32 too, if asked.
std::vector<FunctorRow> Cases(bool elementary) {
  std::vector<FunctorRow> cases;
  for (const FunctorRow& row : FunctorRows()) {
    // A row for a domain of its own repeats a function.
    if (row.exact == nullptr || row.variant == "_of_large") continue;
    if (row.elementary || !elementary) cases.push_back(row);
  }
  return cases;
}

// The kernel for the inputs `x`, of type T, at every level.
template <typename T>
void CheckCase(const FunctorRow& c, const DenseTensor& x, Number most) {
  const std::vector<double> in = ToDoubles(x);
  std::vector<Number> exact;
  for (const double v : in) exact.push_back(c.exact(v));
  ForEachSimdLevel([&](const char* level) {
    const auto outputs = RunKernel({c.op, {x}, c.attrs}, "cpu");
    ASSERT_THAT(outputs, IsOk());
    const std::vector<double> got = ToDoubles((*outputs)[0]);
    const WorstError worst = WorstErrorOf<T>(got, exact);
    EXPECT_LE(worst.units, most)
        << level << ": " << c.Name() << "(" << in[worst.at] << ") is "
        << got[worst.at] << ", exactly "
        << static_cast<double>(exact[worst.at]);
  });
}

class UnaryAccuracyTest : public ::testing::TestWithParam<FunctorRow> {
 protected:
  template <typename T>
  void CheckEveryInput() {
    DenseTensor x = EmptyTensor(DataTypeOf<T>::value, Shape({65536}));
    for (int i = 0; i < 65536; ++i) {
      x.mutable_data<T>()[i] = T::FromBits(static_cast<uint16_t>(i));
    }
    CheckCase<T>(GetParam(), x, 1);
  }
};

TEST_P(UnaryAccuracyTest, EveryFloat16WithinOneUnit) {
  CheckEveryInput<float16>();
}
TEST_P(UnaryAccuracyTest, EveryBFloat16WithinOneUnit) {
  CheckEveryInput<bfloat16>();
}

std::string NameOf(const testing::TestParamInfo<FunctorRow>& info) {
  return info.param.Name();
}

INSTANTIATE_TEST_SUITE_P(Operators, UnaryAccuracyTest,
                         testing::ValuesIn(Cases(/*elementary=*/false)),
                         NameOf);

// Floats of all magnitudes, a prime number of bit patterns apart, and evenly
// spaced ones where the functions bend.
DenseTensor DenseFloats() {
  constexpr uint32_t kStride = 4093;
  constexpr int kEven = 400000;
  std::vector<float> values;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += kStride) {
    const auto pattern = static_cast<uint32_t>(bits);
    float v;
    std::memcpy(&v, &pattern, sizeof(v));
    values.push_back(v);
  }
  for (int i = 0; i < kEven; ++i) {
    values.push_back(-12.f + 24.f * static_cast<float>(i) / kEven);
  }
  const auto count = static_cast<int64_t>(values.size());
  return MakeTensor<float>(Shape({count}), absl::MakeConstSpan(values));
}

class FloatAccuracyTest : public ::testing::TestWithParam<FunctorRow> {};

TEST_P(FloatAccuracyTest, WithinTwoUnits) {
  static const auto* const kFloats = new DenseTensor(DenseFloats());
  CheckCase<float>(GetParam(), *kFloats, 2);
}

INSTANTIATE_TEST_SUITE_P(Operators, FloatAccuracyTest,
                         testing::ValuesIn(Cases(/*elementary=*/true)), NameOf);

}  // namespace
}  // namespace switchyard::phi::kernels::cpu

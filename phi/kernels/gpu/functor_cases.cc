// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/functor_cases.h"

#include <type_traits>
#include <utility>

#include "framework/types/float16.h"
#include "phi/kernels/testing/functor_rows.h"

namespace switchyard::phi::kernels {
namespace {

template <typename T>
Tolerance ToleranceOf() {
  if constexpr (std::is_same_v<T, double>) return {1e-12, 1e-12};
  if constexpr (std::is_same_v<T, float>) return {1e-5, 1e-6};
  if constexpr (std::is_same_v<T, float16>) return {2e-3, 1e-3};
  if constexpr (std::is_same_v<T, bfloat16>) return {1.6e-2, 8e-3};
  return {};
}

template <typename T>
void AddCase(const FunctorRow& row, std::vector<FunctorCase>* cases) {
  // float16 has no larger ones.
  const bool narrow = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
  if (narrow && row.high > 1e5) return;
  const Shape whole({4, 3, 7});
  const Shape shapes[] = {whole, row.broadcasts() ? Shape({3, 1}) : whole,
                          Shape({7})};
  FunctorCase one{{row.op, {}, row.attrs}, ToleranceOf<T>()};
  for (int i = 0; i < row.inputs; ++i) {
    one.call.inputs.push_back(
        RandomTensor<T>(shapes[i], row.low, row.high, /*seed=*/i + 1));
  }
  if (FindKernel(one.call, "gpu") == nullptr) return;
  cases->push_back(one);
  one.call.inputs[0] = WithOtherStrides(one.call.inputs[0]);
  cases->push_back(std::move(one));
}

}  // namespace

std::vector<FunctorCase> FunctorCases() {
  std::vector<FunctorCase> cases;
  for (const FunctorRow& row : FunctorRows()) {
    AddCase<float>(row, &cases);
    AddCase<double>(row, &cases);
    AddCase<float16>(row, &cases);
    AddCase<bfloat16>(row, &cases);
    AddCase<bool>(row, &cases);
    AddCase<int32_t>(row, &cases);
    AddCase<int64_t>(row, &cases);
  }
  return cases;
}

}  // namespace switchyard::phi::kernels

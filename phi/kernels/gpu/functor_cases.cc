// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/functor_cases.h"

#include <type_traits>
#include <utility>

#include "framework/types/float16.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::kernels {
namespace {

// An operator and where its inputs lie: between `low` and `high`.
struct FunctorRow {
  std::string_view op;
  double low = -3;
  double high = 3;
  std::vector<AttrRef> attrs = {};
  int inputs = 1;
  // Also of bool, int32 and int64.
  bool integers = false;
};

// Scalars outlive the AttrRefs to them.
const Scalar kMinusOne = -1.0, kThreeHalves = 1.5, kTwo = 2.0;

std::vector<FunctorRow> RowsOfOneInput() {
  return {
      {"relu"},
      {"relu6", -3, 9},
      {"leaky_relu", -3, 3, {0.125}},
      {"hardswish", -5, 5},
      {"hardsigmoid", -5, 5, {0.25, 0.5}},
      {"sigmoid", -9, 9},
      {"silu"},
      {"softplus", -9, 9, {2.0, 10.0}},
      {"tanh"},
      {"gelu", -4, 4, {false}},
      {"gelu", -4, 4, {true}},
      {"scale", -3, 3, {kTwo, kThreeHalves, true}},
      {"scale", -3, 3, {kTwo, kThreeHalves, false}},
      {"reciprocal", 0.5, 3},
      {"abs"},
      {"sign"},
      {"clip", -3, 3, {kMinusOne, kThreeHalves}},
      {"exp"},
      {"log", 0.125, 9},
      {"erf"},
      {"elu", -3, 3, {1.5}},
      {"celu", -3, 3, {1.5}},
      {"selu", -3, 3, {1.0507009873554805, 1.6732632423543772}},
      {"expm1", -2, 2},
      {"softsign"},
      {"swish"},
      {"logsigmoid", -9, 9},
      {"mish", -5, 5, {20.0}},
      {"mish", -5, 5, {1.0}},
      {"tanh_shrink"},
      {"stanh", -3, 3, {0.67, 1.7159}},
      {"softshrink", -2, 2, {0.5}},
      {"hardshrink", -2, 2, {0.5}},
      {"thresholded_relu", -2, 2, {0.5, -1.0}},
      {"sin", -20, 20},
      {"cos", -20, 20},
      {"sin", 2e6, 3e6},
      {"tan", -1.25, 1.25},
      {"sinh"},
      {"cosh"},
      {"acos", -0.875, 0.875},
      {"asin", -0.875, 0.875},
      {"atan"},
      {"acosh", 1.25, 5},
      {"asinh"},
      {"atanh", -0.875, 0.875},
      {"floor"},
      {"ceil"},
      {"trunc"},
      {"round", -3, 3, {0}},
      {"round", -30, 30, {-1}},
      {"sqrt", 0.125, 9},
      {"rsqrt", 0.125, 9},
      {"square"},
      {"pow", 0.125, 3, {kThreeHalves}},
      {"pow", -3, 3, {kTwo}},
      {"log2", 0.125, 9},
      {"log10", 0.125, 9},
      {"log1p", -0.5, 3},
      {"isnan"},
      {"isfinite"},
      {"isinf"},
      {"logical_not", -2, 2, {}, 1, /*integers=*/true},
  };
}

std::vector<FunctorRow> RowsOfMoreInputs() {
  std::vector<FunctorRow> rows = {
      {"relu_grad", -1, 1, {}, 2},
      {"sigmoid_grad", 0, 1, {}, 2},
      {"tanh_grad", -1, 1, {}, 2},
      {"gelu_grad", -3, 3, {false}, 2},
      {"gelu_grad", -3, 3, {true}, 2},
      {"add", -3, 3, {}, 2},
      {"subtract", -3, 3, {}, 2},
      {"multiply", -3, 3, {}, 2},
      {"divide", 0.5, 3, {}, 2},
      {"floor_divide", 0.5, 3, {}, 2},
      {"remainder", 0.5, 3, {}, 2},
      {"maximum", -3, 3, {}, 2},
      {"minimum", -3, 3, {}, 2},
      {"fmax", -3, 3, {}, 2},
      {"fmin", -3, 3, {}, 2},
      {"copysign", -3, 3, {}, 2},
      {"heaviside", -3, 3, {}, 2},
      {"lerp", 0, 3, {}, 3},
      {"elementwise_pow", 0.5, 3, {}, 2},
      {"atan2", -3, 3, {}, 2},
  };
  for (const char* op :
       {"equal", "not_equal", "less_than", "less_equal", "greater_than",
        "greater_equal", "logical_and", "logical_or", "logical_xor"}) {
    rows.push_back({op, -2, 2, {}, 2, /*integers=*/true});
  }
  return rows;
}

// Gradients take tensors of one shape; others broadcast.
bool IsGradient(std::string_view op) {
  return op.size() > 5 && op.substr(op.size() - 5) == "_grad";
}

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
  // float16 has no larger ones, and its remainder hits whole quotients.
  const bool narrow = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
  if (narrow && row.high > 1e5) return;
  const Shape shapes[] = {Shape({4, 3, 7}),
                          IsGradient(row.op) ? Shape({4, 3, 7}) : Shape({3, 1}),
                          Shape({7})};
  FunctorCase one{{row.op, {}, row.attrs}, ToleranceOf<T>()};
  for (int i = 0; i < row.inputs; ++i) {
    one.call.inputs.push_back(
        RandomTensor<T>(shapes[i], row.low, row.high, /*seed=*/i + 1));
  }
  cases->push_back(one);
  one.call.inputs[0] = WithOtherStrides(one.call.inputs[0]);
  cases->push_back(std::move(one));
}

}  // namespace

std::vector<FunctorCase> FunctorCases() {
  std::vector<FunctorCase> cases;
  for (const auto& rows : {RowsOfOneInput(), RowsOfMoreInputs()}) {
    for (const FunctorRow& row : rows) {
      AddCase<float>(row, &cases);
      AddCase<double>(row, &cases);
      AddCase<float16>(row, &cases);
      AddCase<bfloat16>(row, &cases);
      if (!row.integers) continue;
      AddCase<bool>(row, &cases);
      AddCase<int32_t>(row, &cases);
      AddCase<int64_t>(row, &cases);
    }
  }
  return cases;
}

}  // namespace switchyard::phi::kernels

// SPDX-License-Identifier: Apache-2.0
// Products and activation functions of rows, for the time steps of gru and
// lstm, vector by vector: every element goes through the same instructions,
// whatever its position.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_ROW_MATH_H_
#define SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_ROW_MATH_H_

#include <cstdint>
#include <string_view>

namespace switchyard::phi::kernels::cpu {

// An activation of a gate or a state. InferMeta has checked its name.
class RowActivation {
 public:
  explicit RowActivation(std::string_view name)
      : kind_(name == "sigmoid" ? Kind::kSigmoid
              : name == "tanh"  ? Kind::kTanh
              : name == "relu"  ? Kind::kRelu
                                : Kind::kIdentity) {}

  // Replaces `count` values by those of the function. The logistic function's
  // arguments are bounded to [-40, 13], as in the old operators: one minus its
  // value shows it.
  void Apply(float* values, int64_t count) const;
  void Apply(double* values, int64_t count) const;

  // Returns the derivative where the activation's value is `y`.
  template <typename T>
  T Slope(T y) const {
    switch (kind_) {
      case Kind::kSigmoid:
        return y * (T{1} - y);
      case Kind::kTanh:
        return T{1} - y * y;
      case Kind::kRelu:
        return y > 0 ? T{1} : T{0};
      case Kind::kIdentity:
        break;
    }
    return T{1};
  }

  enum class Kind { kSigmoid, kTanh, kRelu, kIdentity };

 private:
  Kind kind_;
};

// out += row * matrix, for a row of `inner` elements and a matrix of `inner`
// rows and `width` columns. Each sum is in the order of the row.
void AddRowTimes(const float* row, const float* matrix, int64_t inner,
                 int64_t width, float* out);
void AddRowTimes(const double* row, const double* matrix, int64_t inner,
                 int64_t width, double* out);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_RECURRENT_ROW_MATH_H_

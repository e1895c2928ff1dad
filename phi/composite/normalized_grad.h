// SPDX-License-Identifier: Apache-2.0
// What the gradients of batch_norm and layer_norm share: of
// y = (x - mean) / sqrt(variance + epsilon) * scale + bias. Not an operator's
// composite itself.
//
// With n = (x - mean) / deviation, g = y_grad * scale and means over the
// normalized axes: x_grad = (g - mean(g) - n mean(g n)) / deviation, or
// g / deviation where the statistics are constants. float16 and bfloat16 are
// computed in float32.
#ifndef SWITCHYARD_PHI_COMPOSITE_NORMALIZED_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_NORMALIZED_GRAD_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
class NormalizedGrad {
 public:
  NormalizedGrad(Ops& ops, const V& x, const V& out_grad)
      : ops_(ops),
        dtype_(ops.dtype(x)),
        x_(Wide(x)),
        out_grad_(Wide(out_grad)) {
    g_ = out_grad_;
  }

  // The statistics are x's own, over `axes`.
  void UseStatistics(absl::Span<const int64_t> axes, float epsilon) {
    axes_.assign(axes.begin(), axes.end());
    const V centred = ops_.subtract(x_, ops_.mean(x_, axes_, true));
    const V variance = ops_.mean(ops_.multiply(centred, centred), axes_, true);
    deviation_ = ops_.sqrt(
        ops_.scale(variance, Scalar(1.0), Scalar(double{epsilon}), true));
    normalized_ = ops_.divide(centred, deviation_);
    own_ = true;
  }
  // They are constants: a mean, and 1 / deviation.
  void UseConstants(const V& mean, const V& inverse) {
    inverse_ = inverse;
    normalized_ = ops_.multiply(ops_.subtract(x_, mean), inverse);
  }
  // y = x: nothing is normalized.
  void PassOn() { pass_on_ = true; }
  // `scale` broadcasts to x.
  void Scale(const V& scale) {
    if (!pass_on_) g_ = ops_.multiply(out_grad_, scale);
  }

  // Sums over `axes`, reshaped to `shape`.
  void ParameterGrads(absl::Span<const int64_t> axes,
                      absl::Span<const int64_t> shape, V* scale_grad,
                      V* bias_grad) {
    const auto total = [&](const V& v) {
      return ops_.reshape(ops_.sum(v, axes, DataType::kUndefined, false),
                          shape);
    };
    const auto zero = [&](const V& v) {
      return pass_on_ ? ops_.scale(v, Scalar(0.0), Scalar(0.0), true) : v;
    };
    if (scale_grad != nullptr) {
      *scale_grad = total(pass_on_ ? zero(out_grad_)
                                   : ops_.multiply(out_grad_, normalized_));
    }
    if (bias_grad != nullptr) *bias_grad = total(zero(out_grad_));
  }

  V InputGrad() {
    if (pass_on_) return Narrow(out_grad_);
    if (!own_) return Narrow(ops_.multiply(g_, inverse_));
    const V mean = ops_.mean(g_, axes_, true);
    const V slope = ops_.mean(ops_.multiply(g_, normalized_), axes_, true);
    const V centred = ops_.subtract(ops_.subtract(g_, mean),
                                    ops_.multiply(normalized_, slope));
    return Narrow(ops_.divide(centred, deviation_));
  }

 private:
  bool half() const {
    return dtype_ == DataType::kFloat16 || dtype_ == DataType::kBFloat16;
  }
  V Wide(const V& v) { return half() ? ops_.cast(v, DataType::kFloat32) : v; }
  V Narrow(const V& v) { return half() ? ops_.cast(v, dtype_) : v; }

  Ops& ops_;
  DataType dtype_;
  V x_, out_grad_;
  V g_;  // With respect to the normalized x.
  V normalized_, deviation_, inverse_;
  std::vector<int64_t> axes_;
  bool own_ = false;
  bool pass_on_ = false;
};

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_NORMALIZED_GRAD_H_

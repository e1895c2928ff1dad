// SPDX-License-Identifier: Apache-2.0
// The gradients of layers of neural networks, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_NN_H_
#define SWITCHYARD_PHI_COMPOSITE_NN_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "phi/composite/calls/of_nn.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduced_shape.h"

namespace switchyard::phi::composite {

// The common part of the gradients of batch_norm and layer_norm, that is, of y
// = (x - mean) / sqrt(variance + epsilon) * scale + bias. Not an operator's
// composite itself.
//
// With n = (x - mean) / deviation, g = y_grad * scale and means over the
// normalized axes: x_grad = (g - mean(g) - n mean(g n)) / deviation, or g /
// deviation where the statistics are constants. float16 and bfloat16 are
// computed in float32.
class NormalizedGrad {
 public:
  NormalizedGrad(Ops& ops, const Value& x, const Value& out_grad)
      : ops_(ops),
        dtype_(ops.dtype(x)),
        x_(Wide(x)),
        out_grad_(Wide(out_grad)) {
    g_ = out_grad_;
  }

  // The statistics are x's own, over `axes`.
  void UseStatistics(absl::Span<const int64_t> axes, double epsilon) {
    axes_.assign(axes.begin(), axes.end());
    const Value centred =
        op::subtract(ops_, x_, op::mean(ops_, x_, axes_, true));
    const Value variance =
        op::mean(ops_, op::multiply(ops_, centred, centred), axes_, true);
    deviation_ = op::sqrt(ops_, Linear(ops_, variance, 1, epsilon));
    normalized_ = op::divide(ops_, centred, deviation_);
    own_ = true;
  }
  // They are constants: a mean, and 1 / deviation.
  void UseConstants(const Value& mean, const Value& inverse) {
    inverse_ = inverse;
    normalized_ = op::multiply(ops_, op::subtract(ops_, x_, mean), inverse);
  }
  // y = x: nothing is normalized.
  void PassOn() { pass_on_ = true; }
  // y = x if a run finds one element over the axes, whose statistics are used.
  void PassOnAlone() {
    const Value count = CountReduced(ops_, x_, axes_, ops_.dtype(x_));
    alone_ = op::equal(ops_, count, FullLike(ops_, count, 1));
  }
  // `scale` broadcasts to x.
  void Scale(const Value& scale) {
    if (!pass_on_) g_ = op::multiply(ops_, out_grad_, scale);
  }

  // Sums over `axes`, reshaped to `shape`.
  void ParameterGrads(absl::Span<const int64_t> axes,
                      absl::Span<const int64_t> shape, Value* scale_grad,
                      Value* bias_grad) {
    const auto total = [&](const Value& v) {
      return op::reshape(
          ops_, op::sum(ops_, v, axes, DataType::kUndefined, false), shape);
    };
    const auto zero = [&](const Value& v) {
      if (pass_on_) return Times(ops_, v, 0);
      if (!ops_.defined(alone_)) return v;
      return op::where(ops_, alone_, FullLike(ops_, v, 0), v);
    };
    if (scale_grad != nullptr) {
      *scale_grad = total(zero(
          pass_on_ ? out_grad_ : op::multiply(ops_, out_grad_, normalized_)));
    }
    if (bias_grad != nullptr) *bias_grad = total(zero(out_grad_));
  }

  Value InputGrad() {
    if (pass_on_) return Narrow(out_grad_);
    if (!own_) return Narrow(op::multiply(ops_, g_, inverse_));
    const Value mean = op::mean(ops_, g_, axes_, true);
    const Value slope =
        op::mean(ops_, op::multiply(ops_, g_, normalized_), axes_, true);
    const Value centred = op::subtract(ops_, op::subtract(ops_, g_, mean),
                                       op::multiply(ops_, normalized_, slope));
    const Value grad = op::divide(ops_, centred, deviation_);
    if (!ops_.defined(alone_)) return Narrow(grad);
    return Narrow(op::where(ops_, alone_, out_grad_, grad));
  }

 private:
  bool half() const {
    return dtype_ == DataType::kFloat16 || dtype_ == DataType::kBFloat16;
  }
  Value Wide(const Value& v) {
    return half() ? op::cast(ops_, v, DataType::kFloat32) : v;
  }
  Value Narrow(const Value& v) {
    return half() ? op::cast(ops_, v, dtype_) : v;
  }

  Ops& ops_;
  DataType dtype_;
  Value x_, out_grad_;
  Value g_;  // With respect to the normalized x.
  Value normalized_, deviation_, inverse_, alone_;
  std::vector<int64_t> axes_;
  bool own_ = false;
  bool pass_on_ = false;
};

// The gradient of batch_norm, from x, since the statistics that the operator
// saves have no gradients. Differentiable again; where the running statistics
// are used they are constants.
inline void BatchNormGrad(Ops& ops, const Value& x, const Value& scale,
                          const Value& bias, const Value& saved_mean,
                          const Value& saved_variance, const Value& out_grad,
                          double epsilon, std::string_view data_format,
                          bool is_test, bool use_global_stats,
                          bool trainable_statistics, Value* x_grad,
                          Value* scale_grad, Value* bias_grad) {
  (void)bias;
  const Shape shape = ops.shape(x);
  const int rank = shape.rank();
  const int channel = data_format == "NHWC" ? rank - 1 : 1;
  std::vector<int64_t> folded, broadcast(rank, 1);
  // Whether each channel has one element, and whether that is known.
  bool alone = true, known = true;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis == channel) continue;
    folded.push_back(axis);
    known &= shape[axis].known();
    alone &= !shape[axis].known() || shape[axis].value() == 1;
  }
  broadcast[channel] = -1;
  const auto along = [&](const Value& v) {
    return op::reshape(ops, v, broadcast);
  };
  NormalizedGrad grad(ops, x, out_grad);
  if ((is_test && !trainable_statistics) || use_global_stats) {
    grad.UseConstants(along(saved_mean), along(saved_variance));
  } else if (alone && known) {
    grad.PassOn();
  } else {
    grad.UseStatistics(folded, epsilon);
    if (alone) grad.PassOnAlone();
  }
  if (ops.defined(scale)) grad.Scale(along(scale));
  const std::vector<int64_t> channels = {-1};
  grad.ParameterGrads(folded, channels, scale_grad, bias_grad);
  if (x_grad != nullptr) *x_grad = grad.InputGrad();
}

// The gradient of layer_norm, from x, since the statistics that the operator
// saves have no gradients. Differentiable again.
inline void LayerNormGrad(Ops& ops, const Value& x, const Value& scale,
                          const Value& bias, const Value& mean,
                          const Value& variance, const Value& out_grad,
                          double epsilon, int begin_norm_axis, Value* x_grad,
                          Value* scale_grad, Value* bias_grad) {
  (void)bias, (void)mean, (void)variance;
  const Shape shape = ops.shape(x);
  std::vector<int64_t> rows, normalized;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    (axis < begin_norm_axis ? rows : normalized).push_back(axis);
  }
  NormalizedGrad grad(ops, x, out_grad);
  grad.UseStatistics(normalized, epsilon);
  if (ops.defined(scale)) {
    const std::vector<int64_t> all = Extents(shape);
    const std::vector<int64_t> own(all.begin() + begin_norm_axis, all.end());
    if (!CanReshapeTo(own)) return ops.Fail(UnknownShapeError("x"));
    grad.Scale(ReshapeTo(ops, scale, own));
  }
  const std::vector<int64_t> flat = {-1};
  grad.ParameterGrads(rows, flat, scale_grad, bias_grad);
  if (x_grad != nullptr) *x_grad = grad.InputGrad();
}

// The gradient of dropout from its mask: what was kept gets the factor that its
// element got. Differentiable again.
inline void DropoutGrad(Ops& ops, const Value& mask, const Value& out_grad,
                        double p, bool is_test, std::string_view mode,
                        Value* x_grad) {
  if (x_grad == nullptr) return;
  const bool upscale = mode == "upscale_in_train";
  double factor = 1;
  if (is_test && !upscale) factor = 1 - p;
  if (!is_test && upscale && p < 1) factor = 1 / (1 - p);
  const Value kept =
      is_test ? out_grad
              : op::multiply(ops, out_grad,
                             op::cast(ops, mask, ops.dtype(out_grad)));
  *x_grad = Times(ops, kept, factor);
}

// The gradient of rrelu: that of each element by its slope.
inline void RreluGrad(Ops& ops, const Value&, const Value& noise,
                      const Value& out_grad, Value* x_grad) {
  if (x_grad != nullptr) *x_grad = op::multiply(ops, noise, out_grad);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_NN_H_

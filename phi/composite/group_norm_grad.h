// SPDX-License-Identifier: Apache-2.0
// The gradients of group_norm and instance_norm, made of operators and
// differentiable again: x is split into groups by NormalizedGrad's axes.
#ifndef SWITCHYARD_PHI_COMPOSITE_GROUP_NORM_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_GROUP_NORM_GRAD_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/types/data_type.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_group_norm_grad.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/nn.h"
#include "phi/composite/normalization.h"
#include "phi/composite/ops.h"

namespace switchyard::phi::composite {

// How x is split, so that the axes `normalized` are one group's. The channels
// are what is left of the split without the axes `shared` of parameters. Not an
// operator's composite itself.
struct GroupAxes {
  std::vector<int64_t> split;  // x's extents then, as reshape takes them.
  std::vector<int64_t> normalized;
  std::vector<int64_t> shared;
  std::vector<int64_t> parameter;  // The extents of a parameter then.
};

// The common part of both gradients. Not an operator's composite itself.
class GroupsGrad {
 public:
  GroupsGrad(Ops& ops, const Value& x, const Value& out_grad, GroupAxes axes,
             double epsilon)
      : ops_(ops),
        x_(x),
        axes_(std::move(axes)),
        split_(Split(x)),
        grad_(ops, split_, Split(out_grad)) {
    grad_.UseStatistics(axes_.normalized, epsilon);
  }

  void Scale(const Value& scale) {
    if (!ops_.defined(scale)) return;
    grad_.Scale(op::reshape(ops_, scale, axes_.parameter));
  }
  // Yields gradients of the dtypes of the parameters.
  void ParameterGrads(const Value& scale, const Value& bias, Value* scale_grad,
                      Value* bias_grad) {
    const std::vector<int64_t> flat = {-1};
    grad_.ParameterGrads(axes_.shared, flat, scale_grad, bias_grad);
    Cast(scale, scale_grad);
    Cast(bias, bias_grad);
  }
  // The gradients of the mean, and of the variance, of each group.
  void Mean(const Value& mean_grad) {
    if (ops_.defined(mean_grad)) AddExtra(Share(mean_grad));
  }
  void Variance(const Value& variance_grad) {
    if (!ops_.defined(variance_grad)) return;
    const Value wide = Wide(split_);
    const Value centred =
        op::subtract(ops_, wide, op::mean(ops_, wide, axes_.normalized, true));
    AddExtra(Times(ops_, op::multiply(ops_, centred, Share(variance_grad)), 2));
  }
  Value InputGrad() {
    Value grad = grad_.InputGrad();
    if (some_extra_) {
      const Value sum = op::add(ops_, Wide(grad), extra_);
      grad = half() ? op::cast(ops_, sum, ops_.dtype(x_)) : sum;
    }
    return op::reshape_grad(ops_, x_, grad);
  }

 private:
  bool half() const { return normalization::IsHalf(ops_.dtype(x_)); }
  Value Wide(const Value& v) {
    return half() ? op::cast(ops_, v, DataType::kFloat32) : v;
  }
  Value Split(const Value& v) {
    return ops_.shape(v).known() ? ReshapeTo(ops_, v, axes_.split)
                                 : op::reshape(ops_, v, axes_.split);
  }
  // The share of each element in the gradient of its group's mean.
  Value Share(const Value& of_groups) {
    const Value wide = Wide(split_);
    const Value kept = op::mean(ops_, wide, axes_.normalized, true);
    return op::mean_grad(ops_, wide, op::reshape_grad(ops_, kept, of_groups),
                         axes_.normalized, true);
  }
  void AddExtra(const Value& v) {
    extra_ = some_extra_ ? op::add(ops_, extra_, v) : v;
    some_extra_ = true;
  }
  void Cast(const Value& parameter, Value* grad) {
    if (grad == nullptr || !ops_.defined(parameter)) return;
    if (ops_.dtype(parameter) == ops_.dtype(*grad)) return;
    *grad = op::cast(ops_, *grad, ops_.dtype(parameter));
  }

  Ops& ops_;
  Value x_;
  GroupAxes axes_;
  Value split_;
  NormalizedGrad grad_;
  Value extra_;
  bool some_extra_ = false;
};

inline void GroupNormGrad(Ops& ops, const Value& x, const Value& scale,
                          const Value& bias, const Value& mean,
                          const Value& variance, const Value& out_grad,
                          const Value& mean_grad, const Value& variance_grad,
                          double epsilon, int groups,
                          std::string_view data_format, Value* x_grad,
                          Value* scale_grad, Value* bias_grad) {
  (void)mean, (void)variance;
  const Shape shape = ops.shape(x);
  const int rank = shape.rank();
  const int channel =
      normalization::ChannelAxis(ops, "data_format", data_format, shape);
  const int64_t width = shape[channel].value() / groups;
  Dim rest(1);
  for (int axis = 1; axis < rank; ++axis) {
    if (axis == channel) continue;
    const auto product = Multiply(rest, shape[axis]);
    if (!product.ok()) return ops.Fail(product.status());
    rest = *product;
  }
  const int64_t first = shape[0].known() ? shape[0].value() : 0;
  const int64_t elements = rest.known() ? rest.value() : -1;
  GroupAxes axes = {
      {first, groups, width, elements}, {2, 3}, {0, 3}, {1, groups, width, 1}};
  if (channel != 1 || rank == 2) {
    axes = {{first, elements, groups, width},
            {1, 3},
            {0, 1},
            {1, 1, groups, width}};
  }
  GroupsGrad grad(ops, x, out_grad, axes, epsilon);
  grad.Scale(scale);
  grad.ParameterGrads(scale, bias, scale_grad, bias_grad);
  if (x_grad == nullptr) return;
  grad.Mean(mean_grad);
  grad.Variance(variance_grad);
  *x_grad = grad.InputGrad();
}

// `saved_variance` is 1 / deviation, whose derivative by the variance is minus
// half its cube.
inline void InstanceNormGrad(Ops& ops, const Value& x, const Value& scale,
                             const Value& bias, const Value& saved_mean,
                             const Value& saved_variance, const Value& out_grad,
                             const Value& saved_mean_grad,
                             const Value& saved_variance_grad, double epsilon,
                             Value* x_grad, Value* scale_grad,
                             Value* bias_grad) {
  (void)saved_mean;
  const Shape shape = ops.shape(x);
  Dim rest(1);
  for (int axis = 2; axis < shape.rank(); ++axis) {
    const auto product = Multiply(rest, shape[axis]);
    if (!product.ok()) return ops.Fail(product.status());
    rest = *product;
  }
  const auto kept = [&](int axis) {
    return shape[axis].known() ? shape[axis].value() : 0;
  };
  const GroupAxes axes = {{kept(0), kept(1), rest.known() ? rest.value() : -1},
                          {2},
                          {0, 2},
                          {1, -1, 1}};
  GroupsGrad grad(ops, x, out_grad, axes, epsilon);
  grad.Scale(scale);
  grad.ParameterGrads(scale, bias, scale_grad, bias_grad);
  if (x_grad == nullptr) return;
  grad.Mean(saved_mean_grad);
  if (ops.defined(saved_variance_grad)) {
    const Value cube = op::multiply(
        ops, op::multiply(ops, saved_variance, saved_variance), saved_variance);
    grad.Variance(
        Times(ops, op::multiply(ops, cube, saved_variance_grad), -0.5));
  }
  *x_grad = grad.InputGrad();
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_GROUP_NORM_GRAD_H_

// SPDX-License-Identifier: Apache-2.0
// Normalisations.
#include <numeric>

#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/translate/onnx/expression.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/onnx_values.h"
#include "static_graph/translate/onnx/row_scale.h"

namespace switchyard::static_graph {
namespace {

ir::Value MeanOf(OnnxCall& call, ir::Value x, const Integers& axes) {
  return call.Call("mean", {x}, {{"axis", axes}, {"keepdim", true}});
}

// The axes from `first` on.
Integers AxesFrom(ir::Value x, int first) {
  Integers axes;
  for (int i = first; i < Rank(x); ++i) axes.push_back(i);
  return axes;
}

// A number of each channel, beside the spatial axes.
ir::Value OfChannels(OnnxCall& call, ir::Value numbers, ir::Value x) {
  Integers after;
  for (int i = 2; i < Rank(x); ++i) after.push_back(i - 1);
  return Unsqueeze(call, numbers, after);
}

// Numbers beside a tensor of 16 bits, which ours has in float32; beside others
// in their dtype.
ir::Value OfHalf(OnnxCall& call, ir::Value numbers, ir::Value x) {
  const DataType dtype = DtypeOf(x);
  const bool half = dtype == DataType::kFloat16 || dtype == DataType::kBFloat16;
  return Cast(call, numbers, half ? DataType::kFloat32 : dtype);
}

// With training_mode the statistics are the batch's, and the running ones move
// towards them.
void TrainingNorm(OnnxCall& call, ir::Value x) {
  Integers axes = AxesFrom(x, 2);
  axes.insert(axes.begin(), 0);
  const auto flat = [&](ir::Value value) {
    return call.Call("reshape", {value}, {{"shape", Integers{-1}}});
  };
  const ir::Value mean = MeanOf(call, x, axes);
  const ir::Value centred = call.Call("subtract", {x, mean});
  const ir::Value variance =
      MeanOf(call, call.Call("multiply", {centred, centred}), axes);
  const ir::Value wide = call.Call(
      "sqrt",
      {call.Call("add", {variance,
                         NumberLike(call, x, call.Float("epsilon", 1e-5))})});
  ir::Value y = call.Call("divide", {centred, wide});
  y = call.Call("multiply", {y, OfChannels(call, call.In(1), x)});
  call.Out(0, call.Call("add", {y, OfChannels(call, call.In(2), x)}));
  const double momentum = call.Float("momentum", 0.9);
  const auto moved = [&](ir::Value old, ir::Value now) {
    now = Cast(call, flat(now), DtypeOf(old));
    return call.Call(
        "add",
        {call.Call("multiply", {old, NumberLike(call, old, momentum)}),
         call.Call("multiply", {now, NumberLike(call, old, 1 - momentum)})});
  };
  if (call.Wants(1)) call.Out(1, moved(call.In(3), mean));
  if (call.Wants(2)) call.Out(2, moved(call.In(4), variance));
}

void BatchNormalization(OnnxCall& call) {
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  if (call.Flag("training_mode", false)) return TrainingNorm(call, x);
  const auto numbers = [&](int input) {
    return OfHalf(call, call.In(input), x);
  };
  call.Out(
      0, call.Call(
             "batch_norm", {x, numbers(3), numbers(4), numbers(1), numbers(2)},
             {{"is_test", true}, {"epsilon", call.Float("epsilon", 1e-5)}}));
}

void InstanceNormalization(OnnxCall& call) {
  call.Out(0, call.Call("instance_norm", {call.In(0), call.In(1), call.In(2)},
                        {{"epsilon", call.Float("epsilon", 1e-5)}}));
}

// Layer normalisation over all axes from `axis` on, of which x has one more.
ir::Value OverLast(OnnxCall& call, ir::Value x, ir::Value scale, ir::Value bias,
                   double epsilon, int axis) {
  if (axis > 0) {
    return call.Call("layer_norm", {x, scale, bias},
                     {{"epsilon", epsilon}, {"begin_norm_axis", axis}});
  }
  const ir::Value row = Unsqueeze(call, x, {0});
  return Squeeze(call, OverLast(call, row, scale, bias, epsilon, 1), {0});
}

// The normalised x; the mean and 1 over the deviation are outputs 1 and 2, of
// the dtype that the node says they are kept in.
Expression WithStatistics(OnnxCall& call, const Expression& x,
                          const Integers& axes, double epsilon) {
  const Expression wide = WideRows(x);
  const RowScale scale =
      ScaleOfRows(SquaresOf(wide, "mean", axes), x.dtype(), epsilon);
  const Expression rows = wide * scale.factor;
  const Expression mean(call, MeanOf(call, rows, axes));
  const Expression centred = rows - mean;
  const Expression inverse =
      (SquaresOf(centred, "mean", axes) + scale.epsilon).Of("rsqrt");
  constexpr int64_t kFloat32 = 1;
  const DataType kept =
      call.Checked(DataTypeOfOnnx(call.Int("stash_type", kFloat32)));
  call.Out(1, (mean / scale.factor).As(kept));
  call.Out(2, (inverse * scale.factor).As(kept));
  return (centred * inverse).As(x.dtype());
}

void LayerNormalization(OnnxCall& call) {
  const ir::Value x = call.In(0);
  if (!call.ok()) return;
  const int axis = call.Axis(call.Int("axis", -1), Rank(x));
  const double epsilon = call.Float("epsilon", 1e-5);
  const Integers axes = AxesFrom(x, axis);
  const ir::Value scale = call.In(1);
  if (!call.ok()) return;
  const bool statistics = call.Wants(1) || call.Wants(2);
  const auto row = [&](ir::Value numbers) {
    return OfHalf(call, Reshape(call, numbers, {-1}), x);
  };
  if (!statistics && Rank(scale) == static_cast<int>(axes.size())) {
    const ir::Value bias = call.Has(2) ? row(call.In(2)) : ir::Value();
    return call.Out(0, OverLast(call, x, row(scale), bias, epsilon, axis));
  }
  Expression y(call, {});
  if (statistics) {
    y = WithStatistics(call, Expression(call, x), axes, epsilon);
  } else {
    y = Expression(call, OverLast(call, x, {}, {}, epsilon, axis));
  }
  y = y * Expression(call, scale);
  call.Out(0, call.Has(2) ? y + Expression(call, call.In(2)) : y);
}

void RmsNormalization(OnnxCall& call) {
  const Expression x(call, call.In(0));
  if (!call.ok()) return;
  const int axis = call.Axis(call.Int("axis", -1), Rank(x));
  const RmsNormalized result =
      OverRootMeanSquare(x, AxesFrom(x, axis), call.Float("epsilon", 1e-5));
  call.Out(0, result.y * Expression(call, call.In(1)));
}

// From version 21 on there is a scale for each channel, before for each group.
void GroupNormalization(OnnxCall& call) {
  constexpr int64_t kOfChannels = 21;
  const ir::Value x = call.In(0);
  ir::Value scale = call.In(1);
  ir::Value bias = call.In(2);
  const int64_t groups = call.Int("num_groups", 1);
  if (!call.ok()) return;
  if (call.version() < kOfChannels) {
    const Dim channels = ShapeOf(x)[1];
    if (!channels.known() || groups < 1 || channels.value() % groups != 0) {
      return call.Refuse("the channels must be known and divide into groups");
    }
    const int64_t each = channels.value() / groups;
    const auto spread = [&](ir::Value value) {
      return call.Call("repeat_interleave", {value},
                       {{"repeats", each}, {"axis", 0}});
    };
    scale = spread(scale);
    bias = spread(bias);
  }
  call.Out(0, call.Call("group_norm", {x, scale, bias},
                        {{"epsilon", call.Float("epsilon", 1e-5)},
                         {"groups", groups}}));
}

// ONNX divides alpha by the number of channels, ours does not.
void Lrn(OnnxCall& call) {
  const int64_t size = call.Int("size", 1);
  if (size < 1) return call.Fail(ArgumentError("size", "at least 1", "less"));
  call.Out(0, call.Call("lrn", {call.In(0)},
                        {{"n", size},
                         {"k", call.Float("bias", 1.0)},
                         {"alpha", call.Float("alpha", 1e-4) /
                                       static_cast<double>(size)},
                         {"beta", call.Float("beta", 0.75)}}));
}

void MeanVarianceNormalization(OnnxCall& call) {
  const Expression x(call, call.In(0));
  if (!call.ok()) return;
  const Integers axes = call.Ints("axes", {0, 2, 3});
  const Expression wide = WideRows(x);
  const Expression factor =
      ScaleOfRows(SquaresOf(wide, "mean", axes), x.dtype(), 0).factor;
  const Expression rows = wide * factor;
  const Expression centred = rows - Expression(call, MeanOf(call, rows, axes));
  const Expression deviation = SquaresOf(centred, "mean", axes).Of("sqrt");
  constexpr double kEpsilon = 1e-9;
  const Expression y = centred / (deviation + factor * kEpsilon);
  call.Out(0, y.As(x.dtype()));
}

// A row of zeros stays one.
void LpNormalization(OnnxCall& call) {
  const Expression x(call, call.In(0));
  if (!call.ok()) return;
  const Integers axes = {call.Axis(call.Int("axis", -1), Rank(x))};
  const bool squares = call.Int("p", 2) == 2;
  const auto total = [&](const Expression& rows) {
    return squares
               ? SquaresOf(rows, "sum", axes)
               : rows.Of("abs").Of("sum", {{"axis", axes}, {"keepdim", true}});
  };
  const Expression wide = WideRows(x);
  const Expression rows = wide * ScaleOfRows(total(wide), x.dtype(), 0).factor;
  Expression size = total(rows);
  if (squares) size = size.Of("sqrt");
  size = (size == 0.0).Where(size.Number(1), size);
  call.Out(0, (rows / size).As(x.dtype()));
}

constexpr OnnxLowering kLowerings[] = {
    {"BatchNormalization", BatchNormalization},
    {"GroupNormalization", GroupNormalization},
    {"InstanceNormalization", InstanceNormalization},
    {"LRN", Lrn},
    {"LayerNormalization", LayerNormalization},
    {"LpNormalization", LpNormalization},
    {"MeanVarianceNormalization", MeanVarianceNormalization},
    {"RMSNormalization", RmsNormalization},
};

}  // namespace

absl::Span<const OnnxLowering> OnnxNormalizationLowerings() {
  return kLowerings;
}

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
// Activations that no form of an entry writes in every opset, and operators
// that differ in training.
#include <cmath>

#include "static_graph/translate/onnx_out/out_forms.h"

namespace switchyard::static_graph {
namespace {

OnnxName Number(OutCall& call, double number) {
  return call.Scalar0(number, call.Dtype("x"));
}

void Relu6(OutCall& call) {
  call.Out("out",
           call.Node("Clip", {call.In("x"), Number(call, 0), Number(call, 6)}));
}

void Silu(OutCall& call) {
  const OnnxName x = call.In("x");
  call.Out("out", call.Node("Mul", {x, call.Node("Sigmoid", {x})}));
}

// Beyond the threshold the difference is below a rounding where it is large.
// A softplus of `wide`, which is x itself beyond a threshold; far away it is
// nearly so anyway.
OnnxName StraightBeyond(OutCall& call, const OnnxName& wide, const OnnxName& x,
                        const OnnxName& plus) {
  constexpr double kFar = 15;
  const double threshold = call.Float("threshold");
  if (threshold >= kFar) return plus;
  const OnnxName far = call.Node("Greater", {wide, Number(call, threshold)});
  return call.Node("Where", {far, x, plus});
}

void Softplus(OutCall& call) {
  const double beta = call.Float("beta");
  const OnnxName x = call.In("x");
  const OnnxName wide =
      beta == 1 ? x : call.Node("Mul", {x, Number(call, beta)});
  OnnxName y = call.Node("Softplus", {wide});
  if (beta != 1) y = call.Node("Div", {y, Number(call, beta)});
  call.Out("out", StraightBeyond(call, wide, x, y));
}

void Gelu(OutCall& call) {
  constexpr int64_t kFirstOpset = 20;
  const OnnxName x = call.In("x");
  const bool approximate = call.Flag("approximate");
  if (call.opset() >= kFirstOpset) {
    return call.Out("out",
                    call.Node("Gelu", {x},
                              {{"approximate",
                                std::string(approximate ? "tanh" : "none")}}));
  }
  OnnxName share;
  if (approximate) {
    const OnnxName cube = call.Node("Mul", {call.Node("Mul", {x, x}), x});
    const OnnxName sum =
        call.Node("Add", {x, call.Node("Mul", {cube, Number(call, 0.044715)})});
    const double factor = std::sqrt(2 / std::acos(-1.0));
    share = call.Node("Tanh", {call.Node("Mul", {sum, Number(call, factor)})});
  } else {
    const double factor = std::sqrt(0.5);
    share = call.Node("Erf", {call.Node("Mul", {x, Number(call, factor)})});
  }
  const OnnxName half = call.Node("Mul", {x, Number(call, 0.5)});
  call.Out(
      "out",
      call.Node("Mul", {half, call.Node("Add", {share, Number(call, 1)})}));
}

void Selu(OutCall& call) {
  call.Out("out",
           call.Node("Selu", {call.In("x")},
                     {{"alpha", static_cast<float>(call.Float("alpha"))},
                      {"gamma", static_cast<float>(call.Float("scale"))}}));
}

void LogSigmoid(OutCall& call) {
  const OnnxName minus = call.Node("Neg", {call.In("x")});
  call.Out("out", call.Node("Neg", {call.Node("Softplus", {minus})}));
}

void TanhShrink(OutCall& call) {
  const OnnxName x = call.In("x");
  call.Out("out", call.Node("Sub", {x, call.Node("Tanh", {x})}));
}

void Stanh(OutCall& call) {
  const OnnxName inner =
      call.Node("Mul", {call.In("x"), Number(call, call.Float("scale_a"))});
  call.Out("out", call.Node("Mul", {call.Node("Tanh", {inner}),
                                    Number(call, call.Float("scale_b"))}));
}

void Shrink(OutCall& call, double bias) {
  const double threshold = call.Float("threshold");
  call.Out("out", call.Node("Shrink", {call.In("x")},
                            {{"lambd", static_cast<float>(threshold)},
                             {"bias", static_cast<float>(bias)}}));
}

void SoftShrink(OutCall& call) { Shrink(call, call.Float("threshold")); }
void HardShrink(OutCall& call) { Shrink(call, 0); }

void HardTanh(OutCall& call) {
  call.Out("out",
           call.Node("Clip", {call.In("x"), Number(call, call.Float("t_min")),
                              Number(call, call.Float("t_max"))}));
}

void Mish(OutCall& call) {
  const OnnxName x = call.In("x");
  const OnnxName plus = StraightBeyond(call, x, x, call.Node("Softplus", {x}));
  call.Out("out", call.Node("Mul", {x, call.Node("Tanh", {plus})}));
}

// Elements that are dropped at random in training stay, as the mode says.
void Dropout(OutCall& call) {
  if (!call.Flag("is_test")) {
    return call.Refuse("it draws random numbers in training");
  }
  if (call.Wants("mask")) return call.Refuse("its mask is used");
  const OnnxName x = call.In("x");
  if (call.Text("mode") == "upscale_in_train") {
    return call.Out("out", call.Node("Identity", {x}));
  }
  const OnnxName kept = Number(call, 1 - call.Float("p"));
  call.Out("out", call.Node("Mul", {x, kept}));
}

void Rrelu(OutCall& call) {
  if (!call.Flag("is_test")) {
    return call.Refuse("it draws random numbers in training");
  }
  const double slope = (call.Float("lower") + call.Float("upper")) / 2;
  call.Out("out", call.Node("LeakyRelu", {call.In("x")},
                            {{"alpha", static_cast<float>(slope)}}));
}

constexpr OutForm kForms[] = {
    {"relu6", Relu6},
    {"silu", Silu},
    {"swish", Silu},
    {"softplus", Softplus},
    {"gelu", Gelu},
    {"selu", Selu},
    {"logsigmoid", LogSigmoid},
    {"tanh_shrink", TanhShrink},
    {"stanh", Stanh},
    {"softshrink", SoftShrink},
    {"hardshrink", HardShrink},
    {"hardtanh", HardTanh},
    {"mish", Mish},
    {"dropout", Dropout},
    {"rrelu", Rrelu},
};

}  // namespace

absl::Span<const OutForm> ActivationOutForms() { return kForms; }

}  // namespace switchyard::static_graph

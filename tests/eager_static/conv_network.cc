// SPDX-License-Identifier: Apache-2.0
#include "tests/eager_static/conv_network.h"

#include <string>
#include <string_view>
#include <vector>

#include "static_graph/ir/builder.h"
#include "static_graph/ir/parser.h"

namespace switchyard::static_graph {
namespace {

// Writes a program, layer after layer, with its weights as states.
class NetworkText {
 public:
  explicit NetworkText(const ConvNetworkOptions& options)
      : options_(options),
        channels_(std::to_string(options.channels)),
        extent_(options.extent) {}

  std::string Write() {
    arguments_ = "%x: feed \"x\" " + Image();
    for (int i = 0; i < options_.layers; ++i) AddLayer(i);
    return "program @network {\n  ^entry(" + arguments_ + "):\n" + lines_ +
           "    builtin.return(\"out\" = " + last_ + ")\n}\n";
  }

 private:
  std::string Image() const {
    const std::string e = std::to_string(extent_);
    return std::string("tensor<float32[") + (options_.free_batch ? "?" : "1") +
           ", " +
           (options_.channels_last ? e + ", " + e + ", " + channels_
                                   : channels_ + ", " + e + ", " + e) +
           "]>";
  }
  std::string Format() const {
    return std::string("data_format = \"") +
           (options_.channels_last ? "NHWC" : "NCHW") + "\"";
  }
  // Adds a state and returns it.
  std::string Weight(const std::string& name, const std::string& extents) {
    arguments_ += ", %" + name + ": state \"" + name + "\" tensor<float32[" +
                  extents + "]>";
    return "%" + name;
  }
  // Adds a call whose result is the next operation's input.
  void Call(const std::string& name, const std::string& op,
            const std::string& arguments) {
    lines_ += "    %" + name + " = op." + op + "(" + last_ + arguments + " : " +
              Image() + "\n";
    last_ = "%" + name;
  }

  void AddLayer(int i) {
    const std::string n = std::to_string(i);
    const bool one = options_.pointwise && i % 2 == 1;
    const bool depthwise = options_.depthwise && !one;
    const std::string filter =
        Weight("w" + n, channels_ + ", " + (depthwise ? "1" : channels_) +
                            (one ? ", 1, 1" : ", 3, 3"));
    const std::string padding = one ? "0" : "1";
    const std::string given = last_;
    Call("c" + n, depthwise ? "depthwise_conv2d" : "conv2d",
         ", " + filter + ") {strides = int32[1, 1], paddings = int32[" +
             padding + ", " + padding +
             "], padding_algorithm = \"EXPLICIT\", dilations = int32[1, 1], "
             "groups = " +
             (depthwise ? channels_ : "1") + ", " + Format() + "}");
    if (options_.batch_norm) {
      AddBatchNorm(n);
    } else {
      const std::string bias = Weight(
          "b" + n, options_.channels_last ? "1, 1, 1, " + channels_
                                          : "1, " + channels_ + ", 1, 1");
      Call("a" + n, "add", ", " + bias + ")");
    }
    if (options_.residual && i % 2 == 1) {
      Call("s" + n, "add", ", " + before_ + ")");
    }
    before_ = given;
    Call("r" + n, "relu", ")");
    if (*options_.pooling == '\0' || i % 4 != 3) return;
    extent_ /= 2;
    Call("p" + n, "pool2d",
         ") {kernel_size = int64[2, 2], strides = int32[2, 2], paddings = "
         "int32[0, 0], ceil_mode = false, exclusive = true, " +
             Format() + ", pooling_type = \"" + options_.pooling +
             "\", global_pooling = false, adaptive = false, "
             "padding_algorithm = \"EXPLICIT\"}");
  }

  void AddBatchNorm(const std::string& n) {
    std::string results = "    %n" + n, arguments, types;
    for (const char* name : {"mean", "variance", "scale", "shift"}) {
      results += std::string(", %") + name + n + "_new";
      arguments += ", " + Weight(name + n, channels_);
      types += ", tensor<float32[" + channels_ + "]>";
    }
    lines_ += results + " = op.batch_norm(" + last_ + arguments +
              ") {is_test = true, momentum = 0.9 : float64, epsilon = 1e-05 : "
              "float64, " +
              Format() +
              ", use_global_stats = false, trainable_statistics = false} : " +
              Image() + types + "\n";
    last_ = "%n" + n;
  }

  const ConvNetworkOptions& options_;
  const std::string channels_;
  int extent_;
  std::string arguments_, lines_, last_ = "%x";
  std::string before_;  // What the layer before was given.
};

// The states become constants, as export_inference makes them.
void FixWeights(ir::Program* program) {
  ir::Builder builder(program->context());
  builder.SetInsertionPoint(program->entry().front());
  for (ir::Value argument : program->entry().arguments()) {
    if (argument.role() != ir::ArgumentRole::kState) continue;
    const std::vector<float> values = NetworkValues(
        argument.argument_name(), argument.tensor_type().shape().numel());
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()),
                                 values.size() * sizeof(float));
    const auto constant =
        program->context()->GetConstant(argument.tensor_type(), bytes);
    if (!constant.ok()) continue;
    argument.ReplaceAllUsesWith(builder.Constant(*constant));
  }
  program->entry().EraseUnusedArguments();
}

}  // namespace

std::vector<float> NetworkValues(std::string_view name, size_t count) {
  const float low = name.substr(0, 8) == "variance" ? 0.5f : -0.05f;
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>((i * 7919) % 101) / 1000 + low;
  }
  return values;
}

absl::StatusOr<ir::Program> ConvNetwork(ir::Context* context,
                                        const ConvNetworkOptions& options) {
  SY_ASSIGN_OR_RETURN(ir::Program program,
                      ir::Parse(context, NetworkText(options).Write()));
  if (options.fixed_weights) FixWeights(&program);
  return program;
}

}  // namespace switchyard::static_graph

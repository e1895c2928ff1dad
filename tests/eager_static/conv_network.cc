// SPDX-License-Identifier: Apache-2.0
#include "tests/eager_static/conv_network.h"

#include <string>
#include <string_view>
#include <vector>

#include "static_graph/ir/builder.h"
#include "static_graph/ir/parser.h"

namespace switchyard::static_graph {
namespace {

// The program with its weights as states.
std::string NetworkText(const ConvNetworkOptions& options) {
  const std::string c = std::to_string(options.channels);
  const std::string e = std::to_string(options.extent);
  const bool last_axis = options.channels_last;
  const std::string image =
      "tensor<float32[1, " +
      (last_axis ? e + ", " + e + ", " + c : c + ", " + e + ", " + e) + "]>";
  const std::string filter =
      "tensor<float32[" + c + ", " + (options.depthwise ? "1" : c) + ", 3, 3]>";
  const std::string bias =
      "tensor<float32[1, " + (last_axis ? "1, 1, " + c : c + ", 1, 1") + "]>";
  const std::string convolve =
      options.depthwise ? "op.depthwise_conv2d" : "op.conv2d";
  const std::string attributes =
      ") {strides = int32[1, 1], paddings = int32[1, 1], padding_algorithm = "
      "\"EXPLICIT\", dilations = int32[1, 1], groups = " +
      (options.depthwise ? c : "1") + ", data_format = \"" +
      (last_axis ? "NHWC" : "NCHW") + "\"} : " + image;
  std::string text = "program @network {\n  ^entry(%x: feed \"x\" " + image;
  for (int i = 0; i < options.layers; ++i) {
    const std::string n = std::to_string(i);
    text += ", %w" + n + ": state \"w" + n + "\" " + filter + ", %b" + n +
            ": state \"b" + n + "\" " + bias;
  }
  text += "):\n";
  std::string last = "%x";
  for (int i = 0; i < options.layers; ++i) {
    const std::string n = std::to_string(i);
    text += "    %c" + n + " = " + convolve + "(" + last + ", %w" + n +
            attributes + "\n    %a" + n + " = op.add(%c" + n + ", %b" + n +
            ") : " + image + "\n    %r" + n + " = op.relu(%a" + n +
            ") : " + image + "\n";
    last = "%r" + n;
  }
  return text + "    builtin.return(\"out\" = " + last + ")\n}\n";
}

// The states become constants, as export_inference makes them.
void FixWeights(ir::Program* program) {
  ir::Builder builder(program->context());
  builder.SetInsertionPoint(program->entry().front());
  for (ir::Value argument : program->entry().arguments()) {
    if (argument.role() != ir::ArgumentRole::kState) continue;
    const size_t count = argument.tensor_type().shape().numel();
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) {
      values[i] = static_cast<float>((i * 7919) % 101) / 1000 - 0.05f;
    }
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()),
                                 count * sizeof(float));
    const auto constant =
        program->context()->GetConstant(argument.tensor_type(), bytes);
    if (!constant.ok()) continue;
    argument.ReplaceAllUsesWith(builder.Constant(*constant));
  }
  program->entry().EraseUnusedArguments();
}

}  // namespace

absl::StatusOr<ir::Program> ConvNetwork(ir::Context* context,
                                        const ConvNetworkOptions& options) {
  SY_ASSIGN_OR_RETURN(ir::Program program,
                      ir::Parse(context, NetworkText(options)));
  FixWeights(&program);
  return program;
}

}  // namespace switchyard::static_graph

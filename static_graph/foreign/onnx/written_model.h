// SPDX-License-Identifier: Apache-2.0
// WrittenModel: an ONNX model on its way to a file. It is the counterpart of
// OnnxProgram (onnx_program.h), and knows as little of what operators mean.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_WRITTEN_MODEL_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_WRITTEN_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"

namespace switchyard::static_graph {

struct WrittenGraph;

// The value of an attribute; its kind is that of the message's field.
using WrittenValue =
    std::variant<int64_t, float, std::string, std::vector<int64_t>,
                 std::vector<float>, std::vector<std::string>,
                 std::shared_ptr<WrittenGraph>>;

// An attribute of a node.
struct WrittenAttribute {
  std::string name;
  WrittenValue value;
};

// One node. Inputs and outputs that are left out have no name.
struct WrittenNode {
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<WrittenAttribute> attributes;
};

// A tensor with a name. `bytes` are its elements, side by side, each of whole
// bytes; `owner` keeps them.
struct WrittenTensor {
  std::string name;
  DataType dtype = DataType::kUndefined;
  std::vector<int64_t> extents;
  std::string_view bytes;
  std::shared_ptr<const void> owner;
};

// An input or output. An extent is a number, or a name that stands for it;
// empty: any.
struct WrittenPort {
  std::string name;
  DataType dtype = DataType::kUndefined;
  std::vector<std::variant<int64_t, std::string>> extents;
  bool sequence = false;  // Of tensors of this dtype and these extents.
  bool ranked = true;     // Else nothing is said of the extents.
};

// A graph: nodes in the order in which they run, and what they read.
struct WrittenGraph {
  std::string name;
  std::vector<WrittenNode> nodes;
  std::vector<WrittenTensor> tensors;
  std::vector<WrittenPort> inputs;
  std::vector<WrittenPort> outputs;
};

// A model of one opset of ai.onnx.
struct WrittenModel {
  int64_t opset = 0;
  WrittenGraph graph;
  std::string producer;
  std::string producer_version;
  std::string doc;
  std::vector<std::pair<std::string, std::string>> metadata;
};

// Where weights are written.
enum class ExternalData : uint8_t {
  kWhenTooLarge,  // Beside the model where a message would pass 2 GiB.
  kNever,
  kAlways,  // Those of at least 1 KiB.
};

// Returns the `ir_version` that came with an opset of ai.onnx.
int64_t IrVersionOf(int64_t opset);

// Writes the model to `path`, and large weights to `path` + ".data" where
// `external` says so. Existing files are replaced at once: first the weights,
// then the model. ArgumentError where the model would pass 2 GiB, and may not
// leave its weights outside; TypeError for a dtype that ONNX lacks.
absl::Status WriteModel(const WrittenModel& model, const std::string& path,
                        ExternalData external);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_WRITTEN_MODEL_H_

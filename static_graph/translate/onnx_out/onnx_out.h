// SPDX-License-Identifier: Apache-2.0
// OnnxOut: the graph of ONNX that a program becomes, while it is written:
// nodes, constants, the names of values. OutCall (out_call.h) is one operation
// of the program.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_ONNX_OUT_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_ONNX_OUT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/types/data_type.h"
#include "static_graph/foreign/onnx/written_model.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// The name of a value in ONNX's graph; empty: an input that is left out.
using OnnxName = std::string;
using Integers = std::vector<int64_t>;

// Owned by the exporter of one program; one thread uses it. Names are unique in
// the whole model, in graphs inside of others too.
class OnnxOut {
 public:
  // Writes to `graph`, which outlives it.
  OnnxOut(int64_t opset, WrittenGraph* graph) : opset_(opset), main_(graph) {
    graph_ = graph;
  }

  int64_t opset() const { return opset_; }

  // ---- Names ---- Takes the name `wish`, or a variation if it is taken, and
  // returns it.
  OnnxName Take(std::string_view wish);
  // Gives a value of the program the name `name`. A hint of the program wins at
  // the end.
  void Bind(ir::Value value, const OnnxName& name);
  void Unbind(ir::Value value) { names_.erase(value); }
  // Returns null for a value that nothing has been bound to.
  const OnnxName* NameOf(ir::Value value) const;
  // Says of what dtype a name is, where that is known.
  void SetDtype(const OnnxName& name, DataType dtype) { dtypes_[name] = dtype; }
  // Returns kUndefined for a name of which it is not known.
  DataType DtypeOf(const OnnxName& name) const;
  // Says how long the sequences (LoD) of a value are: int64 of one axis.
  void SetSequences(ir::Value value, const OnnxName& lengths) {
    sequences_[value] = lengths;
  }
  // Returns an empty name for a value without sequences.
  OnnxName SequencesOf(ir::Value value) const;
  // Makes a name an output of the main graph, by the port's name: that is the
  // name of the node's output, else that of a copy.
  void Fetch(const OnnxName& name, WrittenPort port);

  // ---- Nodes and constants ----
  // Returns the names of `count` new outputs.
  std::vector<OnnxName> Add(std::string_view type, std::vector<OnnxName> inputs,
                            size_t count,
                            std::vector<WrittenAttribute> attributes);
  // Returns a constant of the main graph; equal ones are one.
  OnnxName Constant(DataType dtype, const Integers& extents, std::string bytes);
  // Adds a weight, whose bytes the caller keeps.
  void AddTensor(WrittenTensor tensor);

  // Return to the nodes of now after a call that couldn't be written.
  size_t Mark() const { return graph_->nodes.size(); }
  void GoBackTo(size_t mark) { graph_->nodes.resize(mark); }
  absl::Span<const WrittenNode> NodesSince(size_t mark) const {
    return absl::MakeConstSpan(graph_->nodes).subspan(mark);
  }

  // Writes to another graph from now on, and returns the one before.
  WrittenGraph* Enter(WrittenGraph* graph);

  // Gives all values their final names, and removes nodes that no output needs.
  void Finish();

 private:
  const int64_t opset_;
  WrittenGraph* const main_;
  WrittenGraph* graph_;
  int64_t count_ = 0;
  HashMap<std::string, int64_t> taken_;  // How often each was wished for.
  HashMap<ir::Value, OnnxName> names_;
  HashMap<ir::Value, OnnxName> sequences_;
  HashMap<std::string, OnnxName> last_names_;  // Of outputs of nodes.
  HashMap<std::string, OnnxName> constants_;   // By dtype, extents and bytes.
  HashMap<OnnxName, DataType> dtypes_;         // Of names, as far as known.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_ONNX_OUT_H_

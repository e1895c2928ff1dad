// SPDX-License-Identifier: Apache-2.0
// BlockExporter: the operations of a program's blocks, one after another, as
// nodes.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_EXPORT_BLOCK_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_EXPORT_BLOCK_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/block.h"
#include "static_graph/translate/onnx_out/export_program.h"
#include "static_graph/translate/onnx_out/onnx_out.h"

namespace switchyard::static_graph {

// Returns a value as an input or output of a graph. TypeError where it is no
// tensor or array, or one with several levels of sequences.
absl::StatusOr<WrittenPort> PortOf(ir::Value value, const OnnxName& name);

// Writes the operations of one program; its members are called in the order of
// the operations.
class BlockExporter {
 public:
  BlockExporter(ir::Context* context, OnnxOut* out, WriteOutCall write_out)
      : context_(context), out_(*out), write_out_(write_out) {}

  // Writes the operations of a block, all but its terminator, to the graph that
  // `out` is at. An operation without a form is a problem; its results get
  // names nevertheless, so that each problem is reported once.
  void WriteBlock(ir::Block& block);
  // Returns an error that lists all problems; OK without any.
  absl::Status Summary() const;

 private:
  // Returns false where the operation must be written out by its parts.
  bool Write(ir::Operation* op, std::string* why);
  bool WriteCall(const ir::Operation& op, std::string* why);
  // Writes a call by a form or a function; `storage_opset` is the opset of its
  // storage types, 1 without any, and `wide` as OutCall has it.
  bool WriteNodes(const OpCall& call, int64_t storage_opset, bool wide,
                  std::string* why);
  // Gives results that have the sequences (LoD) of an operand their lengths.
  void PassSequences(const ir::Operation& op);
  void WriteConstant(const ir::Operation& op);
  void WriteIf(ir::Operation* op);
  void WriteWhile(ir::Operation* op);
  std::shared_ptr<WrittenGraph> Branch(ir::Block& block);
  std::shared_ptr<WrittenGraph> LoopBody(ir::Operation* op);
  // The name of a condition as a scalar.
  OnnxName Condition(ir::Value value);
  OnnxName NameOf(ir::Value value);
  void AddOutput(ir::Value value, WrittenGraph* graph);
  void AddProblem(const ir::Operation& op, const std::string& why);

  ir::Context* const context_;
  OnnxOut& out_;
  WriteOutCall write_out_;
  std::vector<std::string> problems_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_EXPORT_BLOCK_H_

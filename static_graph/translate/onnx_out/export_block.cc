// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx_out/export_block.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/foreign/onnx/schema_facts.h"
#include "static_graph/ir/builtin.h"
#include "static_graph/translate/onnx_out/out_call.h"
#include "static_graph/translate/onnx_out/out_forms.h"

namespace switchyard::static_graph {
namespace {

// Operators that are made of each other deeper than this go in circles.
constexpr size_t kMaxDepth = 24;
constexpr size_t kMostListed = 200;

absl::Status CheckKind(ir::Value value) {
  const ir::TensorType type = value.tensor_type();
  if (!type || (type.kind() != TensorKind::kDense &&
                type.kind() != TensorKind::kTensorArray)) {
    return TypeError("a value", "a dense tensor or an array of them",
                     ToString(value.type()));
  }
  if (type.lod_levels() > 1) {
    return TypeError("a value", "a tensor of one level of sequences at most",
                     ToString(value.type()));
  }
  return absl::OkStatus();
}

// Whether few operators of ONNX take its dtype.
bool IsNarrow(ir::Value value) {
  const DataType dtype = value.tensor_type().dtype();
  return IsStorage(dtype) || dtype == DataType::kBFloat16;
}

std::vector<ir::Value> ResultsOf(const OpCall& call) {
  std::vector<ir::Value> results;
  for (size_t i = 0; i < call.op->info->outputs.size(); ++i) {
    for (const ir::Value value : call.outputs.list(static_cast<int>(i))) {
      if (value) results.push_back(value);
    }
  }
  return results;
}

// Whether all results that something reads have names.
bool AllNamed(const std::vector<ir::Value>& results, const OnnxOut& out) {
  return std::all_of(results.begin(), results.end(), [&](ir::Value result) {
    return !result.has_uses() || out.NameOf(result) != nullptr;
  });
}

// The first opset that has all dtypes of values.
int64_t StorageOpset(const std::vector<ir::Value>& values) {
  int64_t opset = 1;
  for (const ir::Value value : values) {
    opset = std::max(opset, FirstOpsetOf(value.tensor_type().dtype()));
  }
  return opset;
}

}  // namespace

absl::StatusOr<WrittenPort> PortOf(ir::Value value, const OnnxName& name) {
  SY_RETURN_IF_ERROR(CheckKind(value));
  WrittenPort port;
  port.name = name;
  port.dtype = value.tensor_type().dtype();
  port.sequence = value.tensor_type().kind() == TensorKind::kTensorArray;
  for (const Dim dim : value.tensor_type().shape().dims()) {
    if (dim.known()) {
      port.extents.emplace_back(dim.value());
    } else {
      port.extents.emplace_back(dim.symbolic() ? ToString(dim) : "");
    }
  }
  if (!port.sequence) return port;
  // The first extent is the array's length. Without one more its elements are
  // of any rank, and a symbol is not one of all elements.
  port.ranked = port.extents.size() > 1;
  port.extents.erase(port.extents.begin());
  for (auto& extent : port.extents) {
    if (std::holds_alternative<std::string>(extent)) extent = std::string();
  }
  return port;
}

void BlockExporter::AddProblem(const ir::Operation& op,
                               const std::string& why) {
  const absl::Status located = ir::AtLocation(
      absl::UnimplementedError(absl::StrCat(std::string(op.name()), ": ", why)),
      op.location());
  problems_.push_back(std::string(located.message()));
  for (const ir::Value result : op.results()) {
    if (out_.NameOf(result) == nullptr) out_.Bind(result, out_.Take("none"));
  }
}

absl::Status BlockExporter::Summary() const {
  if (problems_.empty()) return absl::OkStatus();
  if (problems_.size() == 1) {
    return absl::UnimplementedError(
        absl::StrCat("an operation has no form in ONNX: ", problems_[0]));
  }
  std::string text =
      absl::StrCat(problems_.size(), " operations have no form in ONNX:");
  for (size_t i = 0; i < problems_.size() && i < kMostListed; ++i) {
    absl::StrAppend(&text, "\n", problems_[i]);
  }
  if (problems_.size() > kMostListed) {
    absl::StrAppend(&text, "\nand ", problems_.size() - kMostListed, " more");
  }
  return absl::UnimplementedError(text);
}

OnnxName BlockExporter::NameOf(ir::Value value) {
  const OnnxName* const name = out_.NameOf(value);
  return name == nullptr ? OnnxName() : *name;
}

void BlockExporter::WriteBlock(ir::Block& block) {
  // For each composite that is being written: the operation after its parts.
  std::vector<ir::Operation*> ends;
  ir::Operation* const last = block.terminator();
  ir::Operation* op = block.front();
  while (op != nullptr && op != last) {
    while (!ends.empty() && ends.back() == op) ends.pop_back();
    std::string why;
    if (Write(op, &why)) {
      op = op->next();
      continue;
    }
    const DialectOp* const record = FindDialectOp(*op);
    if (record == nullptr || record->composite == nullptr ||
        ends.size() > kMaxDepth) {
      AddProblem(*op, why);
      op = op->next();
      continue;
    }
    ir::Operation* const before = op->previous();
    ir::Operation* const after = op->next();
    const absl::Status written = write_out_(context_, op);
    op = before == nullptr ? block.front() : before->next();
    if (written.ok()) {
      ends.push_back(after);
      continue;
    }
    // The parts that a composite made before its error stay, unused.
    op = after == nullptr ? block.back() : after->previous();
    AddProblem(*op, std::string(written.message()));
    op = after;
  }
}

bool BlockExporter::Write(ir::Operation* op, std::string* why) {
  if (op->unused() && ir::IsPure(*op)) return true;
  if (op->name() == ir::kConstantOp) {
    WriteConstant(*op);
    return true;
  }
  if (op->name() == kIfOp || op->name() == kWhileOp) {
    for (const ir::Value value : op->results()) {
      absl::Status status = CheckKind(value);
      if (status.ok() && value.tensor_type().lod_levels() > 0) {
        status = TypeError("a value", "a tensor without sequences",
                           ToString(value.type()));
      }
      if (status.ok()) continue;
      AddProblem(*op, std::string(status.message()));
      return true;
    }
    if (op->name() == kIfOp) {
      WriteIf(op);
    } else {
      WriteWhile(op);
    }
    return true;
  }
  return WriteCall(*op, why);
}

bool BlockExporter::WriteCall(const ir::Operation& op, std::string* why) {
  *why = "ONNX has no operator for it";
  std::vector<ir::Value> values = op.operands();
  for (const ir::Value value : values) {
    const absl::Status status = CheckKind(value);
    if (status.ok()) continue;
    *why = std::string(status.message());
    return false;
  }
  const absl::StatusOr<OpCall> call = ReadCall(op);
  if (!call.ok()) {
    *why = std::string(call.status().message());
    return false;
  }
  for (const ir::Value result : op.results()) values.push_back(result);
  const int64_t opset = StorageOpset(values);
  if (opset > out_.opset()) {
    *why =
        absl::StrCat("opset ", out_.opset(),
                     " lacks a dtype of it, which opset ", opset, " brought");
    return false;
  }
  bool written = WriteNodes(*call, opset, /*wide=*/false, why);
  if (!written && std::any_of(values.begin(), values.end(), IsNarrow)) {
    std::string unsaid;
    written = WriteNodes(*call, opset, /*wide=*/true, &unsaid);
  }
  if (written) PassSequences(op);
  return written;
}

void BlockExporter::PassSequences(const ir::Operation& op) {
  OnnxName lengths;
  for (const ir::Value value : op.operands()) {
    if (lengths.empty()) lengths = out_.SequencesOf(value);
  }
  for (const ir::Value result : op.results()) {
    const bool none = result.tensor_type().lod_levels() == 0 ||
                      !out_.SequencesOf(result).empty();
    if (!none && !lengths.empty()) out_.SetSequences(result, lengths);
  }
}

bool BlockExporter::WriteNodes(const OpCall& call, int64_t storage_opset,
                               bool wide, std::string* why) {
  const size_t mark = out_.Mark();
  const std::vector<ir::Value> results = ResultsOf(call);
  const auto take_back = [&] {
    out_.GoBackTo(mark);
    for (const ir::Value result : results) out_.Unbind(result);
  };
  // Nodes that take storage types say so of their outputs.
  const auto moves = [&](const WrittenNode& node) {
    const OnnxSchema* const schema =
        FindOnnxSchema("", node.type, out_.opset());
    return schema->version >= storage_opset &&
           schema->outputs[0].dtypes.find('q') != std::string_view::npos;
  };
  const auto fits = [&](OutCall& written) {
    if (!AllNamed(results, out_))
      written.Refuse("ONNX has not all of its outputs");
    if (!written.ok()) return false;
    const auto nodes = out_.NodesSince(mark);
    return storage_opset == 1 || wide ||
           std::all_of(nodes.begin(), nodes.end(), moves);
  };
  OutCall by_form(&out_, &call, wide);
  if (WriteByForm(by_form) && fits(by_form)) return true;
  take_back();
  const OutForm* const form = FindOutForm(call.op->info->name);
  if (form == nullptr) return false;
  OutCall written(&out_, &call, wide);
  form->write(written);
  if (fits(written)) return true;
  take_back();
  *why = written.ok() ? "ONNX has no form of it for storage types"
                      : written.refusal();
  return false;
}

void BlockExporter::WriteConstant(const ir::Operation& op) {
  const ir::Attribute value = op.attribute(ir::kValue);
  const ir::TensorType type = value.constant_type();
  Integers extents;
  for (const Dim dim : type.shape().dims()) extents.push_back(dim.value());
  out_.Bind(op.result(0),
            out_.Constant(type.dtype(), extents, std::string(value.bytes())));
}

OnnxName BlockExporter::Condition(ir::Value value) {
  const OnnxName name = NameOf(value);
  if (value.tensor_type().shape().rank() == 0) return name;
  const OnnxName no_axes = out_.Constant(DataType::kInt64, {0}, "");
  return out_.Add("Reshape", {name, no_axes}, 1, {})[0];
}

void BlockExporter::AddOutput(ir::Value value, WrittenGraph* graph) {
  // A value of an outer graph is no output of an inner one.
  const OnnxName copy = out_.Add("Identity", {NameOf(value)}, 1, {})[0];
  WrittenPort port;
  port.name = copy;
  absl::StatusOr<WrittenPort> typed = PortOf(value, copy);
  if (typed.ok()) typed->ranked = !typed->sequence;
  graph->outputs.push_back(typed.ok() ? *std::move(typed) : port);
}

std::shared_ptr<WrittenGraph> BlockExporter::Branch(ir::Block& block) {
  auto graph = std::make_shared<WrittenGraph>();
  graph->name = "branch";
  WrittenGraph* const outer = out_.Enter(graph.get());
  WriteBlock(block);
  for (const ir::Value value : block.terminator()->operands()) {
    AddOutput(value, graph.get());
  }
  out_.Enter(outer);
  return graph;
}

void BlockExporter::WriteIf(ir::Operation* op) {
  const OnnxName condition = Condition(op->operand(0));
  std::vector<WrittenAttribute> branches = {
      {"then_branch", Branch(op->block(0))},
      {"else_branch", Branch(op->block(1))}};
  const std::vector<OnnxName> results =
      out_.Add("If", {condition}, static_cast<size_t>(op->num_results()),
               std::move(branches));
  for (int i = 0; i < op->num_results(); ++i) {
    out_.Bind(op->result(i), results[static_cast<size_t>(i)]);
  }
}

// Runs the loop's body, and finds out whether there is another turn.
std::shared_ptr<WrittenGraph> BlockExporter::LoopBody(ir::Operation* op) {
  auto graph = std::make_shared<WrittenGraph>();
  graph->name = "loop";
  graph->inputs.push_back({out_.Take("turn"), DataType::kInt64, {}});
  graph->inputs.push_back({out_.Take("go_on"), DataType::kBool, {}});
  ir::Block& body = op->block(1);
  ir::Block& test = op->block(0);
  for (int i = 0; i < body.num_arguments(); ++i) {
    const OnnxName name = out_.Take("carried");
    absl::StatusOr<WrittenPort> port = PortOf(body.argument(i), name);
    if (port.ok()) {
      // A sequence may begin as one of nothing.
      port->ranked = !port->sequence;
      graph->inputs.push_back(*std::move(port));
    }
    out_.Bind(body.argument(i), name);
  }
  WrittenGraph* const outer = out_.Enter(graph.get());
  WriteBlock(body);
  const std::vector<ir::Value> next = body.terminator()->operands();
  for (int i = 0; i < test.num_arguments(); ++i) {
    out_.Bind(test.argument(i), NameOf(next[static_cast<size_t>(i)]));
  }
  WriteBlock(test);
  const OnnxName go_on = out_.Add(
      "Identity", {Condition(test.terminator()->operand(0))}, 1, {})[0];
  graph->outputs.push_back({go_on, DataType::kBool, {}});
  for (const ir::Value value : next) AddOutput(value, graph.get());
  out_.Enter(outer);
  return graph;
}

void BlockExporter::WriteWhile(ir::Operation* op) {
  ir::Block& test = op->block(0);
  for (int i = 0; i < test.num_arguments(); ++i) {
    out_.Bind(test.argument(i), NameOf(op->operand(i)));
  }
  WriteBlock(test);
  std::vector<OnnxName> inputs = {"", Condition(test.terminator()->operand(0))};
  for (const ir::Value value : op->operands()) inputs.push_back(NameOf(value));
  const std::shared_ptr<WrittenGraph> body = LoopBody(op);
  const std::vector<OnnxName> results =
      out_.Add("Loop", std::move(inputs),
               static_cast<size_t>(op->num_results()), {{"body", body}});
  for (int i = 0; i < op->num_results(); ++i) {
    out_.Bind(op->result(i), results[static_cast<size_t>(i)]);
  }
}

}  // namespace switchyard::static_graph

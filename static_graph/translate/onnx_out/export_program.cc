// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx_out/export_program.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/ir/block.h"
#include "static_graph/translate/onnx_out/export_block.h"
#include "static_graph/translate/onnx_out/onnx_out.h"

namespace switchyard::static_graph {
namespace {

// The names of symbols, "s0", where the caller has named an axis.
using SymbolNames = std::map<std::string, std::string>;

absl::Status CheckDtype(const WrittenPort& port, int64_t opset) {
  const int64_t first = FirstOpsetOf(port.dtype);
  if (first <= opset) return absl::OkStatus();
  return ArgumentError(
      "opset",
      absl::StrCat(first, " at least for ", std::string(Name(port.dtype))),
      absl::StrCat(opset));
}

// Gives open extents the names that the caller has for them.
void NameExtents(const OnnxOutOptions& options, const std::string& name,
                 SymbolNames* symbols, WrittenPort* port) {
  for (size_t axis = 0; axis < port->extents.size(); ++axis) {
    auto* const extent = std::get_if<std::string>(&port->extents[axis]);
    if (extent == nullptr) continue;
    const auto named = options.axes.find({name, static_cast<int>(axis)});
    if (named != options.axes.end()) {
      if (!extent->empty()) symbols->emplace(*extent, named->second);
      *extent = named->second;
    } else if (const auto known = symbols->find(*extent);
               known != symbols->end()) {
      *extent = known->second;
    }
  }
}

// The lengths of the sequences of an input or output, beside it.
WrittenPort LengthsPort(const std::string& name, OnnxOut* out) {
  return {out->Take(name + ".lengths"), DataType::kInt64, {std::string()}};
}

absl::Status AddFeed(ir::Value value, const OnnxOutOptions& options,
                     SymbolNames* symbols, OnnxOut* out, WrittenGraph* graph) {
  const std::string name(value.argument_name());
  const OnnxName taken = out->Take(name);
  absl::StatusOr<WrittenPort> port = PortOf(value, taken);
  if (!port.ok()) return Annotate(port.status(), name);
  SY_RETURN_IF_ERROR(CheckDtype(*port, options.opset));
  NameExtents(options, name, symbols, &*port);
  graph->inputs.push_back(*std::move(port));
  out->Bind(value, taken);
  if (value.tensor_type().lod_levels() > 0) {
    graph->inputs.push_back(LengthsPort(name, out));
    out->SetSequences(value, graph->inputs.back().name);
  }
  return absl::OkStatus();
}

absl::Status AddState(ir::Value value, FindState find, OnnxOut* out) {
  const std::string name(value.argument_name());
  const OnnxName taken = out->Take(name);
  out->Bind(value, taken);
  SY_ASSIGN_OR_RETURN(DenseTensor tensor, find(name));
  const auto owner = std::make_shared<const DenseTensor>(std::move(tensor));
  WrittenTensor written;
  written.name = taken;
  written.dtype = owner->dtype();
  for (const Dim dim : owner->shape().dims()) {
    written.extents.push_back(dim.value());
  }
  written.bytes = std::string_view(static_cast<const char*>(owner->raw_data()),
                                   owner->byte_size());
  written.owner = owner;
  out->AddTensor(std::move(written));
  return absl::OkStatus();
}

absl::Status AddArguments(const ir::Program& program,
                          const OnnxOutOptions& options, SymbolNames* symbols,
                          FindState state, OnnxOut* out, WrittenGraph* graph) {
  for (const ir::Value value : program.entry().arguments()) {
    if (value.role() == ir::ArgumentRole::kFeed) {
      SY_RETURN_IF_ERROR(AddFeed(value, options, symbols, out, graph));
    } else if (value.has_uses()) {
      SY_RETURN_IF_ERROR(AddState(value, state, out));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<WrittenModel> ExportProgram(ir::Program* program,
                                           const OnnxOutOptions& options,
                                           FindState state,
                                           WriteOutCall write_out) {
  if (options.opset < kFirstOutOpset || options.opset > kLastOutOpset) {
    return ArgumentError(
        "opset", absl::StrCat("in [", kFirstOutOpset, ", ", kLastOutOpset, "]"),
        absl::StrCat(options.opset));
  }
  WrittenModel model;
  model.opset = options.opset;
  model.producer = "switchyard";
  model.doc = options.doc;
  model.metadata = options.metadata;
  model.graph.name = std::string(program->name());
  OnnxOut out(options.opset, &model.graph);
  SymbolNames symbols;
  SY_RETURN_IF_ERROR(
      AddArguments(*program, options, &symbols, state, &out, &model.graph));
  std::vector<WrittenPort> ports;
  for (const ir::NamedValue& fetch : program->fetches()) {
    absl::StatusOr<WrittenPort> port =
        PortOf(fetch.value, out.Take(fetch.name));
    if (!port.ok()) return Annotate(port.status(), fetch.name);
    SY_RETURN_IF_ERROR(CheckDtype(*port, options.opset));
    NameExtents(options, fetch.name, &symbols, &*port);
    ports.push_back(*std::move(port));
  }
  BlockExporter exporter(program->context(), &out, write_out);
  exporter.WriteBlock(program->entry());
  SY_RETURN_IF_ERROR(exporter.Summary());
  const std::vector<ir::NamedValue> fetches = program->fetches();
  for (size_t i = 0; i < fetches.size(); ++i) {
    const ir::Value value = fetches[i].value;
    out.Fetch(*out.NameOf(value), std::move(ports[i]));
    if (value.tensor_type().lod_levels() == 0) continue;
    const OnnxName lengths = out.SequencesOf(value);
    if (lengths.empty()) {
      return Annotate(TypeError("a value", "with sequences that are known",
                                ToString(value.type())),
                      fetches[i].name);
    }
    out.Fetch(lengths, LengthsPort(fetches[i].name, &out));
  }
  out.Finish();
  return model;
}

}  // namespace switchyard::static_graph

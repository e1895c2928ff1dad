// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/check_nodes.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/foreign/onnx/schema_facts.h"
#include "static_graph/foreign/operator_problems.h"
#include "static_graph/translate/onnx/lowerings.h"
#include "static_graph/translate/onnx/node_forms.h"
#include "static_graph/translate/onnx/refused.h"

namespace switchyard::static_graph {
namespace {

// The first opset of ai.onnx that is read; operators of older opsets are read
// if they are unchanged in it.
constexpr int64_t kOldestOpset = 6;

std::string NameOfDomain(const std::string& domain) {
  return domain.empty() ? "ai.onnx" : domain;
}

// Returns a part of a sentence: the name of the operator's domain that is
// nearest to its own; "" if none is near, or the problem is not listed.
std::string NearestToo(const ForeignOperator& op, bool listed) {
  if (!listed) return "";
  std::vector<std::string_view> names;
  for (const OnnxSchema& schema : AllOnnxSchemas()) {
    if (schema.domain == op.domain &&
        (names.empty() || names.back() != schema.name)) {
      names.push_back(schema.name);
    }
  }
  const std::string nearest = NearestName(op.type, names);
  return nearest.empty() ? "" : absl::StrCat("; the nearest is ", nearest);
}

absl::Status CheckAttributes(const OnnxSchema& schema,
                             const ForeignOperator& op) {
  for (const ForeignAttr& attr : op.attrs) {
    if (schema.attribute(attr.name) != nullptr) continue;
    return ArgumentError("attributes",
                         absl::StrCat("those of version ", schema.version),
                         absl::StrCat("'", attr.name, "'"));
  }
  for (const OnnxSchemaAttribute& attr : schema.attributes) {
    if (!attr.required || op.attr(attr.name) != nullptr) continue;
    return ArgumentError(absl::StrCat("attribute ", std::string(attr.name)),
                         "given", "none");
  }
  return absl::OkStatus();
}

absl::Status CheckPorts(const char* what,
                        const std::vector<OnnxSchemaPort>& ports,
                        const ForeignSlot& given) {
  const auto count = static_cast<size_t>(given.count());
  const bool repeats = !ports.empty() && ports.back().repeats;
  if (count > ports.size() && !repeats) {
    return ArgumentError(what, absl::StrCat("at most ", ports.size()),
                         absl::StrCat(count));
  }
  return absl::OkStatus();
}

absl::Status CheckInputs(const std::vector<OnnxSchemaPort>& ports,
                         const ForeignSlot& given) {
  SY_RETURN_IF_ERROR(CheckPorts("inputs", ports, given));
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].optional || ports[i].repeats) continue;
    if (i < given.variables.size() && !given.variables[i].empty()) continue;
    return ArgumentError(absl::StrCat("input ", std::string(ports[i].name)),
                         "given", "none");
  }
  return absl::OkStatus();
}

absl::Status CheckDomain(const OnnxBlock& block, const ForeignOperator& op) {
  const int64_t opset = block.DomainVersion(op.domain);
  const std::string domain = NameOfDomain(op.domain);
  if (opset < 0) {
    return ArgumentError("domain", "one that the model imports", domain);
  }
  const int64_t newest = NewestOnnxOpset(op.domain);
  if (newest < 0 || (opset >= 1 && opset <= newest)) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "the opset of ", domain, " must be in [1, ", newest, "], got ", opset));
}

// Returns the error for an operator that nothing here computes, whose schema
// may be unknown.
absl::Status NotComputed(const OnnxSchema* schema, const ForeignOperator& op,
                         bool listed) {
  const char* const reason = ReasonOfRefusal(op.domain, op.type);
  return absl::UnimplementedError(absl::StrCat(
      "no operator here computes ", NameOfDomain(op.domain), ".", op.type,
      schema == nullptr ? "" : absl::StrCat(" of version ", schema->version),
      reason == nullptr ? NearestToo(op, listed) : absl::StrCat(": ", reason)));
}

// `listed`: whether the problem will be in the error, which counts the last.
absl::Status CheckNode(const OnnxBlock& block, const ForeignOperator& op,
                       bool listed) {
  SY_RETURN_IF_ERROR(CheckDomain(block, op));
  const OnnxSchema* const schema =
      FindOnnxSchema(op.domain, op.type, block.DomainVersion(op.domain));
  // ONNX Runtime has more operators in its domain than the facts have.
  if (schema == nullptr && NewestOnnxOpset(op.domain) >= 0 &&
      op.domain != kMicrosoft) {
    return absl::UnimplementedError(
        absl::StrCat("opset ", block.DomainVersion(op.domain), " of ",
                     NameOfDomain(op.domain), " has no operator of this name",
                     NearestToo(op, listed)));
  }
  const int64_t version = schema == nullptr ? 0 : schema->version;
  if (op.domain.empty() && block.DomainVersion(op.domain) < kOldestOpset &&
      FindOnnxSchema(op.domain, op.type, kOldestOpset) != schema) {
    return absl::UnimplementedError(absl::StrCat(
        "version ", version, " must be that of opset ", kOldestOpset));
  }
  if (FindLowering(op.domain, op.type) == nullptr &&
      !HasOnnxForm(op.domain, op.type, version)) {
    return NotComputed(schema, op, listed);
  }
  if (schema == nullptr) return absl::OkStatus();
  SY_RETURN_IF_ERROR(CheckAttributes(*schema, op));
  SY_RETURN_IF_ERROR(CheckInputs(schema->inputs, op.inputs[0]));
  return CheckPorts("outputs", schema->outputs, op.outputs[0]);
}

}  // namespace

std::string OnnxNodePlace(int block, int index, const ForeignOperator& op) {
  return absl::StrCat(block == 0 ? "" : absl::StrCat("block ", block, ", "),
                      "node ", index,
                      op.label.empty() ? "" : absl::StrCat(" '", op.label, "'"),
                      " (", op.type, ")");
}

int64_t VersionOfNode(const OnnxBlock& block, const ForeignOperator& op) {
  const OnnxSchema* const schema =
      FindOnnxSchema(op.domain, op.type, block.DomainVersion(op.domain));
  return schema == nullptr ? 0 : schema->version;
}

absl::Status CheckOnnxNodes(const OnnxProgram& model) {
  OperatorProblems problems;
  ForeignOperator op;
  for (int b = 0; b < model.blocks_size(); ++b) {
    const OnnxBlock& block = model.blocks(b);
    for (int i = 0; i < block.ops_size(); ++i) {
      block.Read(i, &op);
      if (model.FunctionOf(op) >= 0) continue;
      const absl::Status status = CheckNode(block, op, problems.listed());
      if (!status.ok()) problems.Add(status, OnnxNodePlace(b, i, op));
    }
  }
  return problems.Summary();
}

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx_out/onnx_out.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {
namespace {

// The beginning of names of nodes' outputs until they have their last one: no
// name of a program begins so.
constexpr char kTemporary[] = "\x01";

bool IsTemporary(const OnnxName& name) {
  return absl::StartsWith(name, kTemporary);
}

// Calls `visit` with each node's graphs inside.
template <typename Visit>
void ForInner(WrittenNode& node, Visit visit) {
  for (WrittenAttribute& attribute : node.attributes) {
    if (auto* graph =
            std::get_if<std::shared_ptr<WrittenGraph>>(&attribute.value)) {
      visit(**graph);
    }
  }
}

template <typename Rename>
void RenameAll(WrittenGraph& graph, const Rename& rename) {
  for (WrittenNode& node : graph.nodes) {
    for (OnnxName& name : node.inputs) rename(&name);
    for (OnnxName& name : node.outputs) rename(&name);
    ForInner(node, [&](WrittenGraph& inner) { RenameAll(inner, rename); });
  }
  for (WrittenPort& port : graph.inputs) rename(&port.name);
  for (WrittenPort& port : graph.outputs) rename(&port.name);
}

// Removes nodes none of whose outputs is in `used`, and adds the names that the
// others read.
void RemoveUnused(WrittenGraph& graph, HashMap<std::string, bool>* used) {
  for (const WrittenPort& port : graph.outputs) (*used)[port.name] = true;
  std::vector<WrittenNode> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool needed =
        std::any_of(node->outputs.begin(), node->outputs.end(),
                    [&](const OnnxName& name) { return used->count(name); });
    if (!needed) continue;
    ForInner(*node, [&](WrittenGraph& inner) { RemoveUnused(inner, used); });
    for (const OnnxName& name : node->inputs) (*used)[name] = true;
    kept.push_back(std::move(*node));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
}

}  // namespace

OnnxName OnnxOut::Take(std::string_view wish) {
  OnnxName name(wish);
  while (true) {
    int64_t& count = taken_[name];
    if (count++ == 0) return name;
    name = absl::StrCat(std::string(wish), "_", count - 1);
  }
}

void OnnxOut::Bind(ir::Value value, const OnnxName& name) {
  names_[value] = name;
  if (const ir::TensorType type = value.tensor_type();
      type && type.kind() == TensorKind::kDense) {
    SetDtype(name, type.dtype());
  }
  const std::string_view hint = value.hint();
  if (IsTemporary(name) && !hint.empty() && !last_names_.count(name)) {
    last_names_[name] = std::string(hint);
  }
}

const OnnxName* OnnxOut::NameOf(ir::Value value) const {
  const auto found = names_.find(value);
  return found == names_.end() ? nullptr : &found->second;
}

DataType OnnxOut::DtypeOf(const OnnxName& name) const {
  const auto found = dtypes_.find(name);
  return found == dtypes_.end() ? DataType::kUndefined : found->second;
}

OnnxName OnnxOut::SequencesOf(ir::Value value) const {
  const auto found = sequences_.find(value);
  return found == sequences_.end() ? OnnxName() : found->second;
}

void OnnxOut::Fetch(const OnnxName& name, WrittenPort port) {
  // A name that is fetched twice, or that no node makes, is copied.
  OnnxName made = name;
  const bool fetched =
      std::any_of(main_->outputs.begin(), main_->outputs.end(),
                  [&](const WrittenPort& other) { return other.name == made; });
  if (!IsTemporary(made) || fetched) {
    made = Add("Identity", {made}, 1, {})[0];
  }
  last_names_[made] = std::exchange(port.name, made);
  main_->outputs.push_back(std::move(port));
}

std::vector<OnnxName> OnnxOut::Add(std::string_view type,
                                   std::vector<OnnxName> inputs, size_t count,
                                   std::vector<WrittenAttribute> attributes) {
  while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
  std::vector<OnnxName> outputs;
  for (size_t i = 0; i < count; ++i) {
    outputs.push_back(absl::StrCat(kTemporary, count_++));
  }
  graph_->nodes.push_back(
      {std::string(type), std::move(inputs), outputs, std::move(attributes)});
  return outputs;
}

OnnxName OnnxOut::Constant(DataType dtype, const Integers& extents,
                           std::string bytes) {
  std::string key = absl::StrCat(static_cast<int>(dtype), ":");
  for (const int64_t extent : extents) absl::StrAppend(&key, extent, ",");
  key.append(":").append(bytes);
  const auto found = constants_.find(key);
  if (found != constants_.end()) return found->second;
  const OnnxName name = Take("constant");
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  main_->tensors.push_back({name, dtype, extents, *owner, owner});
  SetDtype(name, dtype);
  return constants_[key] = name;
}

void OnnxOut::AddTensor(WrittenTensor tensor) {
  main_->tensors.push_back(std::move(tensor));
}

WrittenGraph* OnnxOut::Enter(WrittenGraph* graph) {
  return std::exchange(graph_, graph);
}

void OnnxOut::Finish() {
  // Outputs first: they must have the program's names.
  HashMap<std::string, OnnxName> given;
  for (const WrittenPort& port : main_->outputs) {
    given[port.name] = last_names_[port.name];
  }
  RenameAll(*main_, [&](OnnxName* name) {
    if (!IsTemporary(*name)) return;
    OnnxName& last = given[*name];
    if (last.empty()) {
      const auto wish = last_names_.find(*name);
      last = Take(wish == last_names_.end() ? "value" : wish->second);
    }
    *name = last;
  });
  HashMap<std::string, bool> used;
  RemoveUnused(*main_, &used);
  auto& tensors = main_->tensors;
  tensors.erase(std::remove_if(tensors.begin(), tensors.end(),
                               [&](const WrittenTensor& tensor) {
                                 return !used.count(tensor.name);
                               }),
                tensors.end());
}

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_json/json_node.h"

namespace switchyard::static_graph {

const char* JsonNode::type_name() const {
  switch (kind_) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "boolean";
    case Kind::kText:
      return "string";
    case Kind::kList:
      return "array";
    case Kind::kObject:
      return "object";
    default:
      return "number";
  }
}

double JsonNode::floating() const {
  if (kind_ == Kind::kFloat) return number_.floating;
  return kind_ == Kind::kSigned ? static_cast<double>(number_.as_signed)
                                : static_cast<double>(number_.as_unsigned);
}

const JsonNode& JsonNode::operator[](size_t i) const {
  const JsonNode* node = this + 1;
  for (; i > 0; --i) node += node->span_;
  return *node;
}

const JsonNode* JsonNode::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const JsonNode& node : *this) {
    if (node.key_ == key) return &node;
  }
  return nullptr;
}

size_t JsonTree::Add(size_t parent, std::string_view key, JsonNode::Kind kind) {
  if (size_ == nodes_.size()) nodes_.emplace_back();
  const size_t index = size_++;
  JsonNode& node = nodes_[index];
  node.kind_ = kind;
  node.size_ = 0;
  node.span_ = 1;
  node.key_ = key;
  if (parent != kNoParent) ++nodes_[parent].size_;
  return index;
}

void JsonTree::End(size_t index) {
  nodes_[index].span_ = static_cast<uint32_t>(size_ - index);
}

bool JsonTree::Contains(size_t index, std::string_view key) const {
  for (size_t i = index + 1; i < size_; i += nodes_[i].span_) {
    if (nodes_[i].key_ == key) return true;
  }
  return false;
}

void JsonTree::Cut(size_t parent, size_t index) {
  --nodes_[parent].size_;
  size_ = index;
}

void JsonTree::Clear(size_t index) {
  nodes_[index].size_ = 0;
  nodes_[index].span_ = 1;
  size_ = index + 1;
}

}  // namespace switchyard::static_graph

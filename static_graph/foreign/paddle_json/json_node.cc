// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_json/json_node.h"

#include "framework/base/float_text.h"

namespace switchyard::static_graph {

const char* JsonNode::type_name() const {
  constexpr const char* kNames[] = {"null",   "boolean", "number", "number",
                                    "number", "string",  "array",  "object"};
  return kNames[static_cast<size_t>(kind_)];
}

double JsonNode::floating() const {
  if (is_float()) return number_.floating;
  return kind_ == Kind::kLarge ? static_cast<double>(number_.large)
                               : static_cast<double>(number_.integer);
}

std::string JsonNode::NumberText() const {
  if (is_float()) return ShortestText(number_.floating);
  return kind_ == Kind::kLarge ? std::to_string(number_.large)
                               : std::to_string(number_.integer);
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

void JsonTree::Add(std::string_view key, JsonNode::Kind kind) {
  if (size_ == nodes_.size()) nodes_.emplace_back();
  JsonNode& node = nodes_[size_++];
  node.kind_ = kind;
  node.size_ = 0;
  node.span_ = 1;
  node.key_ = key;
  if (open_.empty()) return;
  JsonNode& around = nodes_[open_.back()];
  ++around.size_;
  ++around.span_;
}

void JsonTree::Begin(std::string_view key, JsonNode::Kind kind) {
  Add(key, kind);
  open_.push_back(size_ - 1);
}

const JsonNode& JsonTree::End() {
  JsonNode& ended = nodes_[open_.back()];
  open_.pop_back();
  if (!open_.empty()) nodes_[open_.back()].span_ += ended.span_ - 1;
  return ended;
}

void JsonTree::Cut(const JsonNode& ended) {
  JsonNode& around = nodes_[open_.back()];
  JsonNode& node = nodes_[static_cast<size_t>(&ended - nodes_.data())];
  const uint32_t kept = around.is_list() ? 0 : 1;
  around.size_ -= 1 - kept;
  around.span_ -= node.span_ - kept;
  size_ -= node.span_ - kept;
  node.size_ = 0;
  node.span_ = 1;
}

}  // namespace switchyard::static_graph

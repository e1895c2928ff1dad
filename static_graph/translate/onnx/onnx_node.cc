// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/onnx_node.h"

#include "absl/types/span.h"

namespace switchyard::static_graph {
namespace {

const std::string& NameAt(const ReusedList<ForeignSlot>& slots, int position) {
  static const auto* const absent = new std::string();
  if (position >= slots[0].count()) return *absent;
  return slots[0].variables[static_cast<size_t>(position)];
}

}  // namespace

const std::string& OnnxNode::InputName(int input) const {
  return NameAt(op_.inputs, input);
}

const std::string& OnnxNode::OutputName(int output) const {
  return NameAt(op_.outputs, output);
}

bool OnnxNode::HasAttr(std::string_view name) const {
  return op_.attr(name) != nullptr;
}

int64_t OnnxNode::Int(std::string_view name, int64_t none) const {
  const ForeignAttr* const attr = op_.attr(name);
  return attr == nullptr ? none : attr->integer();
}

bool OnnxNode::Flag(std::string_view name, bool none) const {
  return Int(name, none ? 1 : 0) != 0;
}

double OnnxNode::Float(std::string_view name, double none) const {
  const ForeignAttr* const attr = op_.attr(name);
  return attr == nullptr ? none : attr->number();
}

std::string OnnxNode::Text(std::string_view name, const char* none) const {
  const ForeignAttr* const attr = op_.attr(name);
  return attr == nullptr ? std::string(none) : std::string(attr->text());
}

Integers OnnxNode::Ints(std::string_view name, const Integers& none) const {
  const ForeignAttr* const attr = op_.attr(name);
  if (attr == nullptr || attr->kind != ForeignKind::kLongs) return none;
  const absl::Span<const int64_t> list = attr->list<int64_t>();
  return Integers(list.begin(), list.end());
}

std::vector<float> OnnxNode::Floats(std::string_view name) const {
  const ForeignAttr* const attr = op_.attr(name);
  if (attr == nullptr || attr->kind != ForeignKind::kFloats) return {};
  const absl::Span<const float> list = attr->list<float>();
  return std::vector<float>(list.begin(), list.end());
}

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
// SizeOf: what the parts of a program in JSON take
// (static_graph/foreign/paddle_json/json_program.h).
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "static_graph/foreign/paddle_json/json_program.h"

namespace switchyard::static_graph {
namespace {

// Return what an attribute's value holds beside itself.
template <typename T>
size_t HeldBy(const T&) {
  return 0;
}
size_t HeldBy(std::string_view text) { return text.size(); }
size_t HeldBy(absl::Span<const std::string> texts) {
  size_t size = texts.size() * sizeof(std::string);
  for (const std::string& text : texts) size += text.size();
  return size;
}
template <typename T>
size_t HeldBy(absl::Span<const T> list) {
  return list.size() * sizeof(T);
}

size_t SizeOf(const JsonType& type) {
  size_t size = sizeof(JsonType);
  if (type.kind == JsonType::Kind::kTensor) size += sizeof(TensorSpec);
  // Lists grow by doubling.
  for (const JsonType& item : type.items) size += 2 * SizeOf(item);
  return size;
}

}  // namespace

size_t SizeOf(const JsonValue& value) {
  // Where it is defined, and what it becomes.
  constexpr size_t kKnown = 64;
  return kKnown + SizeOf(value.type);
}

size_t SizeOf(const JsonAttr& attr) {
  const AttrRef ref = attr.value.ref();
  const size_t held = VisitAttrType(ref.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return HeldBy(ref.Get<T>());
  });
  return sizeof(JsonAttr) + attr.name.size() + attr.unknown.size() + held;
}

size_t SizeOf(const JsonOperator& op) {
  size_t size =
      kJsonOperatorSize + op.name.size() + op.operands.size() * sizeof(int64_t);
  for (const JsonValue& result : op.results) size += SizeOf(result);
  for (const JsonAttr& attr : op.attrs) size += SizeOf(attr);
  return size;
}

}  // namespace switchyard::static_graph

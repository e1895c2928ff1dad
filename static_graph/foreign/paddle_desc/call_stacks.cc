// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_desc/call_stacks.h"

#include "static_graph/foreign/paddle_desc/program_desc.pb.h"
#include "static_graph/foreign/paddle_desc/wire_fields.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;

constexpr std::string_view kCallStack = "op_callstack";

// Whether an attribute is kCallStack, a list of texts.
bool IsCallStack(std::string_view attribute) {
  WireFields fields(attribute);
  bool named = false;
  while (fields.Next()) {
    switch (fields.number()) {
      case OpDesc::Attr::kNameFieldNumber:
        if (!fields.IsBytes() || fields.bytes() != kCallStack) return false;
        named = true;
        break;
      case OpDesc::Attr::kTypeFieldNumber:
        if (!fields.IsVarint()) return false;
        break;
      case OpDesc::Attr::kStringsFieldNumber:
        if (!fields.IsBytes()) return false;
        break;
      default:
        return false;
    }
  }
  return named && fields.sound();
}

}  // namespace

std::string_view WithoutCallStack(std::string_view op, std::string* rest) {
  WireFields fields(op);
  size_t kept = 0;   // Up to here `op` is in `rest`, or left out.
  size_t begin = 0;  // Of the field.
  for (; fields.Next(); begin = fields.end()) {
    if (fields.number() != OpDesc::kAttrsFieldNumber || !fields.IsBytes() ||
        !IsCallStack(fields.bytes())) {
      continue;
    }
    rest->append(op.substr(kept, begin - kept));
    kept = fields.end();
  }
  if (kept == 0) return op;
  rest->append(op.substr(kept));
  return *rest;
}

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
// RefusedOnnxOperators: those of ONNX that nothing here computes, and why. A
// test holds the list against the schemas: all others are computed.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_REFUSED_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_REFUSED_H_

#include <string_view>

#include "absl/types/span.h"

namespace switchyard::static_graph {

// An operator in all its versions, or all of a domain where `type` is empty.
struct RefusedOnnxOperator {
  std::string_view type;
  const char* reason;  // A sentence without its end.
  std::string_view domain = "";
};

absl::Span<const RefusedOnnxOperator> RefusedOnnxOperators();
// Returns the reason; null for an operator that is not refused.
const char* ReasonOfRefusal(std::string_view domain, std::string_view type);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_REFUSED_H_

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/refused.h"

#include "static_graph/translate/onnx/lowerings.h"

namespace switchyard::static_graph {
namespace {

constexpr char kMl[] = "ai.onnx.ml";

constexpr RefusedOnnxOperator kRefused[] = {
    {"CastMap", "a map is only a result", kMl},
    {"DictVectorizer", "a map is only a result", kMl},
    {"FlexAttention", "its graphs of scores are not computed",
     "ai.onnx.preview"},
    {"ImageDecoder", "no decoder of images is part of the library"},
    {"EPContext", "it holds what a device's own compiler made", kMicrosoft},
    {"", "its tensors lie as one processor's kernels take them",
     "com.microsoft.nchwc"},
};

}  // namespace

absl::Span<const RefusedOnnxOperator> RefusedOnnxOperators() {
  return kRefused;
}

const char* ReasonOfRefusal(std::string_view domain, std::string_view type) {
  for (const RefusedOnnxOperator& refused : kRefused) {
    if (refused.domain == domain &&
        (refused.type.empty() || refused.type == type)) {
      return refused.reason;
    }
  }
  return nullptr;
}

}  // namespace switchyard::static_graph

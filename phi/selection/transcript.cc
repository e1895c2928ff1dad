// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/transcript.h"

#include "absl/strings/str_cat.h"

namespace switchyard::phi::selection {

std::string TransformText(const Query& query, const Transform& transform) {
  std::string text = absl::StrCat(
      OperatorName(transform.kind), " ",
      SlotName(*query.op, query.inputs.segments(), transform.slot));
  if (const auto attribute = TransformAttribute(transform)) {
    absl::StrAppend(&text, " to ", ToString(*attribute));
  }
  return text;
}

std::string TranscriptLine(const Query& query, const Selection& selection) {
  std::string line = absl::StrCat(
      CallText(query), " -> ", KernelText(*selection.kernel), " transforms: ");
  if (selection.transforms.empty()) line += "none";
  const char* separator = "";
  for (const Transform& transform : selection.transforms) {
    absl::StrAppend(&line, separator, TransformText(query, transform));
    separator = ", ";
  }
  if (selection.fallback) {
    absl::StrAppend(&line, " fallback: ", ToString(query.place), " -> ",
                    ToString(Place::Cpu()));
  }
  return line;
}

}  // namespace switchyard::phi::selection

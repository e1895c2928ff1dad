// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/transcript.h"

#include "absl/strings/str_cat.h"

namespace switchyard::phi::selection {

std::string TransformText(const Query& query, const Transform& transform) {
  const std::string name =
      SlotName(*query.op, query.inputs.segments(), transform.slot);
  switch (transform.kind) {
    case Transform::Kind::kCopy:
      return absl::StrCat("copy ", name, " to ", ToString(transform.place));
    case Transform::Kind::kReorder:
      return absl::StrCat("reorder ", name);
    case Transform::Kind::kContiguous:
      return absl::StrCat("contiguous ", name);
    case Transform::Kind::kCast:
      return absl::StrCat("cast ", name, " to ",
                          std::string(Name(transform.dtype)));
  }
  return name;
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

// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/transcript.h"

#include "absl/strings/str_cat.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard::phi::selection {
namespace {

// " (4096 bytes)"; "" where the size is not known.
std::string BytesText(DataType dtype, const Shape& shape,
                      LayoutDescriptor layout) {
  if (!shape.known() || dtype == DataType::kUndefined) {
    return "";
  }
  const absl::StatusOr<int64_t> bytes = CheckedByteSize(dtype, shape, layout);
  return bytes.ok() ? absl::StrCat(" (", *bytes, " bytes)") : "";
}

// An output's name: "out", or "out[1]" in a list.
std::string OutputName(const Query& query, int slot) {
  if (query.outputs.size() == 0) return query.op->outputs[slot].name;
  const ArgSegments& segments = query.outputs.segments();
  const int argument = segments.argument_of(slot);
  std::string name = query.op->outputs[argument].name;
  if (query.op->outputs[argument].list) {
    absl::StrAppend(&name, "[", slot - segments.begin(argument), "]");
  }
  return name;
}

}  // namespace

std::string TransformText(const Query& query, const Transform& transform) {
  std::string text = absl::StrCat(
      OperatorName(transform.kind), " ",
      SlotName(*query.op, query.inputs.segments(), transform.slot));
  if (const auto attribute = TransformAttribute(transform)) {
    const bool reorder = transform.kind == Transform::Kind::kReorder;
    absl::StrAppend(
        &text, " to ",
        reorder ? std::string(Name(transform.layout)) : ToString(*attribute));
  }
  if (transform.kind == Transform::Kind::kReorder) {
    const TensorMeta& tensor = *query.inputs[transform.slot];
    text += BytesText(tensor.dtype, tensor.shape, transform.layout);
  }
  return text;
}

std::string OutputTransformText(const Query& query,
                                const Transform& transform) {
  std::string text = absl::StrCat(OperatorName(transform.kind), " ",
                                  OutputName(query, transform.slot), " from ",
                                  std::string(Name(transform.layout)));
  if (transform.slot < query.outputs.size() &&
      query.outputs[transform.slot] != nullptr) {
    const TensorSpec& meta = *query.outputs[transform.slot];
    text += BytesText(meta.dtype, meta.shape, LayoutDescriptor());
  }
  return text;
}

std::string TransformsText(const Query& query, const Selection& selection) {
  std::string text;
  for (const Transform& transform : selection.transforms) {
    absl::StrAppend(&text, text.empty() ? "" : ", ",
                    TransformText(query, transform));
  }
  for (const Transform& transform : selection.output_transforms) {
    absl::StrAppend(&text, text.empty() ? "" : ", ",
                    OutputTransformText(query, transform));
  }
  return text.empty() ? "none" : text;
}

std::string TranscriptLine(const Query& query, const Selection& selection) {
  std::string line =
      absl::StrCat(CallText(query), " -> ", KernelText(*selection.kernel),
                   " transforms: ", TransformsText(query, selection));
  if (selection.fallback) {
    absl::StrAppend(&line, " fallback: ", ToString(query.place), " -> ",
                    ToString(Place::Cpu()));
  }
  return line;
}

}  // namespace switchyard::phi::selection

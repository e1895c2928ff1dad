// SPDX-License-Identifier: Apache-2.0
// Parts of tensors by ranges.
#include "static_graph/translate/onnx_out/out_forms.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

// Ranges of `axes`; those of `gone`, of one element, drop.
void Sliced(OutCall& call, std::string_view input, const OnnxName& steps,
            const Integers& gone) {
  const Integers axes = call.Ints("axes");
  const OnnxName x = call.In(input);
  if (axes.empty()) return call.Out("out", call.Node("Identity", {x}));
  const OnnxName part =
      call.Node("Slice", {x, call.IntTensor("starts"), call.IntTensor("ends"),
                          call.IntList(axes), steps});
  call.Out("out", Squeeze(call, part, gone));
}

void Slice(OutCall& call) { Sliced(call, "input", "", {}); }

void LegacySlice(OutCall& call) {
  Integers gone = call.Ints("decrease_axis");
  // A result of no axis has one in programs of old.
  const int rank = call.OutShape("out").rank();
  if (call.Rank("input") - static_cast<int>(gone.size()) < rank) {
    gone.resize(static_cast<size_t>(call.Rank("input") - rank));
  }
  Sliced(call, "input", "", gone);
}

void StepSlice(OutCall& call) {
  Sliced(call, "x", call.IntTensor("steps"), {});
}

void StridedSlice(OutCall& call) {
  Sliced(call, "x", call.IntTensor("strides"), call.Ints("decrease_axis"));
}

constexpr OutForm kForms[] = {
    {"slice", Slice},
    {"legacy_slice", LegacySlice},
    {"step_slice", StepSlice},
    {"strided_slice", StridedSlice},
};

}  // namespace

absl::Span<const OutForm> SliceOutForms() { return kForms; }

}  // namespace switchyard::static_graph

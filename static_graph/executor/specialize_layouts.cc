// SPDX-License-Identifier: Apache-2.0
// The part of BlockSpecializer that follows results in other layouts than
// strided, and says as a line what a launch and its transforms are.
#include <string>

#include "phi/selection/transcript.h"
#include "static_graph/executor/specialize_block.h"

namespace switchyard::static_graph {

using phi::selection::Query;
using TransformKind = phi::selection::Transform::Kind;

LayoutDescriptor BlockSpecializer::OutputLayout(const Launch& launch,
                                                size_t slot) const {
  for (const phi::selection::Transform& transform :
       launch.selection.output_transforms) {
    if (transform.slot == slot) return transform.layout;
  }
  return plan_.values[launch.instruction->outputs[slot]].meta.layout;
}

// Reorders the results of a kernel that was chosen here, for what follows reads
// strided tensors.
absl::Status BlockSpecializer::ReorderOutputs(const Launch& launch) {
  for (const phi::selection::Transform& transform :
       launch.selection.output_transforms) {
    const ValueId value = launch.instruction->outputs[transform.slot];
    SY_RETURN_IF_ERROR(AddTransform(phi::selection::BackToStrided(transform),
                                    &tensor_of_[value]));
    origins_[tensor_of_[value]] = {};
  }
  return absl::OkStatus();
}

// The choice as a line. Inputs are those before their transforms.
std::string BlockSpecializer::MakeTranscript(const Launch& launch) const {
  const Instruction& instruction = *launch.instruction;
  phi::selection::Selection selection = launch.selection;
  std::vector<TensorId> originals = launch.inputs;
  for (size_t slot = 0; slot < originals.size(); ++slot) {
    phi::selection::Transforms before;
    TensorId& tensor = originals[slot];
    while (tensor != kNoTensor && origins_[tensor].tensor != kNoTensor) {
      phi::selection::Transform transform;
      transform.kind = origins_[tensor].kind;
      transform.slot = static_cast<uint16_t>(slot);
      transform.dtype = GetMeta(tensor).dtype;
      transform.place = GetMeta(tensor).place;
      transform.layout = GetMeta(tensor).layout;
      const TensorId origin = origins_[tensor].tensor;
      // A copy on one place is no transform: it gives an in-place operator
      // memory that it may write.
      if (transform.kind != TransformKind::kCopy ||
          transform.place != GetMeta(origin).place) {
        before.insert(before.begin(), transform);
      }
      tensor = origin;
    }
    selection.transforms.insert(selection.transforms.end(), before.begin(),
                                before.end());
  }
  const std::vector<const TensorMeta*> metas = GetMetas(originals);
  std::vector<const TensorSpec*> wanted;
  for (size_t slot = 0; slot < launch.outputs.size(); ++slot) {
    const ValueId output = instruction.outputs[slot];
    wanted.push_back(output == kNoValue ? nullptr : &launch.outputs[slot]);
    if (output == kNoValue || !plan_.reordered[output]) continue;
    selection.output_transforms.push_back({TransformKind::kReorder,
                                           static_cast<uint16_t>(slot),
                                           DataType::kUndefined,
                                           {},
                                           OutputLayout(launch, slot)});
  }
  Query query;
  query.op = instruction.op;
  query.inputs = {metas, instruction.inputs.segments()};
  query.attrs = launch.attrs;
  query.dtype = instruction.key_dtype;
  query.place = instruction.place;
  query.outputs = {wanted, instruction.outputs.segments()};
  return phi::selection::TranscriptLine(query, selection);
}

}  // namespace switchyard::static_graph

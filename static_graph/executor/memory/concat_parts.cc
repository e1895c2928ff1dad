// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/memory/concat_parts.h"

#include <algorithm>
#include <string_view>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/op_info.h"
#include "static_graph/dialect/concat.gen.h"

namespace switchyard::static_graph {
namespace {

using Storage = TensorSlot::Storage;

// Planned memory is aligned to it.
constexpr int64_t kAlignment = 64;

// Our own kernels promise that bits depend on no position; this one leaves a
// part alone that is where it goes.
bool IsConcat(const Step& step) {
  if (step.kernel == nullptr || step.chain != nullptr || step.fallback ||
      step.instruction == nullptr || step.instruction->op == nullptr ||
      step.outputs.size() != 1 || step.outputs[0] == kNoTensor) {
    return false;
  }
  return step.kernel->key.backend == &backend_cpu &&
         step.kernel->thread_invariant &&
         step.instruction->op->name == ConcatOp::kOp.name;
}

std::optional<int64_t> BytesOf(const TensorMeta& meta) {
  if (meta.kind != TensorKind::kDense || meta.place != Place::Cpu() ||
      !meta.shape.known() || !meta.contiguous) {
    return std::nullopt;
  }
  const auto bytes = CheckedByteSize(meta.dtype, meta.shape, meta.layout);
  if (!bytes.ok()) return std::nullopt;
  return *bytes;
}

// When each root, with its parts, is written and used for the last time.
class LastUses {
 public:
  explicit LastUses(const ShapeSpecialization& made)
      : written_(made.tensors.size(), -1), used_(made.tensors.size(), -1) {
    const auto use = [&](TensorId tensor, int step) {
      if (tensor != kNoTensor) used_[made.tensors[tensor].root] = step;
    };
    const int end = static_cast<int>(made.steps.size());
    for (int i = 0; i < end; ++i) {
      const Step& step = made.steps[i];
      for (TensorId input : step.inputs) use(input, i);
      for (const auto& captures : step.captures) {
        for (TensorId capture : captures) use(capture, i);
      }
      for (TensorId output : step.outputs) {
        use(output, i);
        if (output != kNoTensor && !IsView(made, output)) {
          written_[made.tensors[output].root] = i;
        }
      }
    }
    for (TensorId result : made.results) use(result, end);
  }

  int written(TensorId root) const { return written_[root]; }
  int used(TensorId root) const { return used_[root]; }
  // Makes the uses of `part` uses of `whole`.
  void Add(TensorId part, TensorId whole) {
    used_[whole] = std::max(used_[whole], used_[part]);
  }

 private:
  static bool IsView(const ShapeSpecialization& made, TensorId tensor) {
    return made.tensors[tensor].storage == Storage::kView;
  }

  std::vector<int> written_;  // By root.
  std::vector<int> used_;     // By root.
};

// Whether the axis is the outermost one in memory of those with more than one
// index.
bool IsOutermost(int axis, const TensorMeta& meta) {
  for (int position = 0; position < meta.shape.rank(); ++position) {
    const int next =
        meta.layout.strided() ? position : meta.layout.axis(position);
    if (next == axis) return true;
    if (meta.shape.extent(next) != 1) return false;
  }
  return false;
}

bool IsPlannedRoot(const ShapeSpecialization& made, TensorId tensor) {
  const TensorSlot& slot = made.tensors[tensor];
  return slot.root == tensor && slot.storage == Storage::kPlanned;
}

// Whether parts may lie in it: the run allocates it before its first step.
bool MayBeWhole(const ShapeSpecialization& made, TensorId tensor) {
  const TensorSlot& slot = made.tensors[tensor];
  return IsPlannedRoot(made, tensor) ||
         (slot.root == tensor && slot.storage == Storage::kFresh);
}

}  // namespace

std::optional<std::vector<int64_t>> PartOffsets(const ShapeSpecialization& made,
                                                const Step& step) {
  if (!IsConcat(step)) return std::nullopt;
  const TensorMeta& out = made.tensors[step.outputs[0]].meta;
  if (!BytesOf(out).has_value()) return std::nullopt;
  const int axis = step.attrs[0].Get<int>();
  if (!IsOutermost(axis < 0 ? axis + out.shape.rank() : axis, out)) {
    return std::nullopt;
  }
  std::vector<int64_t> offsets;
  int64_t offset = 0;
  for (TensorId input : step.inputs) {
    if (input == kNoTensor) return std::nullopt;
    TensorMeta meta = made.tensors[input].meta;
    meta.contiguous = true;  // What is copied may have any strides.
    const auto bytes = BytesOf(meta);
    if (!bytes.has_value() || meta.layout != out.layout) return std::nullopt;
    if (!out.layout.strided() && !IsUnpadded(meta.layout, meta.shape)) {
      return std::nullopt;
    }
    offsets.push_back(offset);
    offset += *bytes;
  }
  return offsets;
}

std::vector<PartInPlace> FindPartsInPlace(const ShapeSpecialization& made) {
  std::vector<PartInPlace> parts;
  std::optional<LastUses> uses;  // Few programs need it.
  std::vector<bool> placed;
  for (size_t i = 0; i < made.steps.size(); ++i) {
    const Step& step = made.steps[i];
    const auto offsets = PartOffsets(made, step);
    if (!offsets.has_value() || !MayBeWhole(made, step.outputs[0])) continue;
    if (!uses.has_value()) {
      uses.emplace(made);
      placed.resize(made.tensors.size(), false);
    }
    const TensorId whole = step.outputs[0];
    const int number = static_cast<int>(i);
    const bool stays = uses->written(whole) == number;
    for (size_t k = 0; k < offsets->size(); ++k) {
      const TensorMeta& meta = made.tensors[step.inputs[k]].meta;
      const TensorId root = made.tensors[step.inputs[k]].root;
      const auto bytes = BytesOf(meta);
      if (!IsPlannedRoot(made, root) || placed[root] || meta.offset != 0 ||
          bytes.value_or(0) == 0 || *bytes != made.tensors[root].bytes ||
          (*offsets)[k] % kAlignment != 0 || uses->written(root) >= number ||
          (uses->used(root) > number && !stays)) {
        continue;
      }
      placed[root] = true;
      uses->Add(root, whole);
      parts.push_back({root, whole, (*offsets)[k]});
    }
  }
  return parts;
}

}  // namespace switchyard::static_graph

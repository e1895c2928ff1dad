// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/chains/chain_member.h"

#include <algorithm>
#include <string_view>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/op_info.h"

namespace switchyard::static_graph {
namespace {

using Storage = TensorSlot::Storage;

bool HasAxis(const phi::OpInfo& op) {
  return std::any_of(op.attrs.begin(), op.attrs.end(),
                     [](const phi::AttrInfo& attr) {
                       return std::string_view(attr.name) == "axis";
                     });
}

// Whether the operator computes each element of its result from those at the
// same place, by broadcasting, of its inputs.
bool IsElementwise(const Step& step) {
  const phi::OpInfo* const op =
      step.instruction == nullptr ? nullptr : step.instruction->op;
  if (op == nullptr) return step.kernel->keeps_layout;
  for (const phi::Trait trait : {phi::Trait::kRandom, phi::Trait::kInplaceOnly,
                                 phi::Trait::kOptimizer, phi::Trait::kView}) {
    if (op->has(trait)) return false;
  }
  return step.kernel->keeps_layout || op->has(phi::Trait::kElementwise);
}

// Kernels that want whole tensors, contiguous, are not over parts of them.
bool TakesAnyStrides(const phi::KernelDef& kernel) {
  return std::all_of(kernel.inputs.begin(), kernel.inputs.end(),
                     [](const phi::ArgDef& input) { return input.strided; });
}

bool IsStrided(const TensorMeta& meta) {
  return meta.kind == TensorKind::kDense && meta.layout.strided() &&
         meta.place == Place::Cpu() && meta.shape.known();
}

bool Broadcasts(const Shape& own, const Shape& shape) {
  const int lead = shape.rank() - own.rank();
  if (lead < 0) return false;
  for (int axis = 0; axis < own.rank(); ++axis) {
    const int64_t extent = own.extent(axis);
    if (extent != 1 && extent != shape.extent(lead + axis)) return false;
  }
  return true;
}

}  // namespace

bool MayBeInChain(const ShapeSpecialization& made, const Step& step) {
  if (step.kernel == nullptr || step.outputs.size() != 1 ||
      step.outputs[0] == kNoTensor || step.fallback || step.inputs.empty()) {
    return false;
  }
  const phi::KernelDef& kernel = *step.kernel;
  if (kernel.key.backend != &backend_cpu || !kernel.thread_invariant ||
      !TakesAnyStrides(kernel) || !IsElementwise(step)) {
    return false;
  }
  const TensorSlot& out = made.tensors[step.outputs[0]];
  const Storage root = made.tensors[out.root].storage;
  if (out.storage == Storage::kView || !IsStrided(out.meta) ||
      (root != Storage::kPlanned && root != Storage::kFresh) ||
      !out.meta.contiguous) {
    return false;
  }
  return std::all_of(
      step.inputs.begin(), step.inputs.end(), [&](TensorId input) {
        if (input == kNoTensor) return false;
        const TensorMeta& meta = made.tensors[input].meta;
        if (!IsStrided(meta) || !Broadcasts(meta.shape, out.meta.shape)) {
          return false;
        }
        // Where an operand of fewer axes stands is an attribute's matter.
        return meta.shape.rank() == out.meta.shape.rank() ||
               meta.shape.numel() == 1 || step.instruction == nullptr ||
               !HasAxis(*step.instruction->op);
      });
}

}  // namespace switchyard::static_graph

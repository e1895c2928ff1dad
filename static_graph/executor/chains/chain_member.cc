// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/chains/chain_member.h"

#include <algorithm>
#include <string_view>

#include "framework/device/cpu/cpu_context.h"
#include "phi/core/op_info.h"
#include "static_graph/dialect/amax.gen.h"
#include "static_graph/dialect/amin.gen.h"
#include "static_graph/dialect/max.gen.h"
#include "static_graph/dialect/mean.gen.h"
#include "static_graph/dialect/min.gen.h"
#include "static_graph/dialect/sum.gen.h"

namespace switchyard::static_graph {
namespace {

using Storage = TensorSlot::Storage;

// Returns where the attribute `axis` stands; -1 if there is none.
int PositionOfAxis(const phi::OpInfo& op) {
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    if (std::string_view(op.attrs[i].name) == "axis") {
      return static_cast<int>(i);
    }
  }
  return -1;
}

// The reductions whose kernels are made of one loop over rows
// (phi/kernels/cpu/reduction/reduce.h).
bool IsReduction(std::string_view op) {
  for (const ViewedOp& reduction : {SumOp::kOp, MeanOp::kOp, MaxOp::kOp,
                                    MinOp::kOp, AmaxOp::kOp, AminOp::kOp}) {
    if (op == reduction.name) return true;
  }
  return false;
}

// Whether the launch is one of our own kernels on the CPU, with one result.
bool IsOwn(const Step& step) {
  return step.kernel != nullptr && step.outputs.size() == 1 &&
         step.outputs[0] != kNoTensor && !step.fallback &&
         !step.inputs.empty() && step.kernel->key.backend == &backend_cpu &&
         step.kernel->thread_invariant;
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

// Whether the result is contiguous and in memory of the run's own.
bool HasOwnResult(const ShapeSpecialization& made, const Step& step) {
  const TensorSlot& out = made.tensors[step.outputs[0]];
  const Storage root = made.tensors[out.root].storage;
  return out.storage != Storage::kView && IsStrided(out.meta) &&
         (root == Storage::kPlanned || root == Storage::kFresh) &&
         out.meta.contiguous;
}

}  // namespace

bool MayBeInChain(const ShapeSpecialization& made, const Step& step) {
  if (!IsOwn(step) || !TakesAnyStrides(*step.kernel) || !IsElementwise(step) ||
      !HasOwnResult(made, step)) {
    return false;
  }
  const TensorSlot& out = made.tensors[step.outputs[0]];
  return std::all_of(
      step.inputs.begin(), step.inputs.end(), [&](TensorId input) {
        if (input == kNoTensor) return false;
        const TensorMeta& meta = made.tensors[input].meta;
        if (!IsStrided(meta) || !Broadcasts(meta.shape, out.meta.shape)) {
          return false;
        }
        // An attribute decides how an operand of fewer axes is aligned.
        return meta.shape.rank() == out.meta.shape.rank() ||
               meta.shape.numel() == 1 || step.instruction == nullptr ||
               PositionOfAxis(*step.instruction->op) < 0;
      });
}

std::optional<int> FirstReducedAxis(const ShapeSpecialization& made,
                                    const Step& step) {
  if (!IsOwn(step) || step.instruction == nullptr ||
      step.instruction->op == nullptr || step.inputs.size() != 1 ||
      !IsReduction(step.instruction->op->name) || !HasOwnResult(made, step)) {
    return std::nullopt;
  }
  const TensorMeta& x = made.tensors[step.inputs[0]].meta;
  const int axis = PositionOfAxis(*step.instruction->op);
  if (!IsStrided(x) || !x.contiguous || axis < 0) return std::nullopt;
  const int rank = x.shape.rank();
  int first = rank;
  for (const int64_t given :
       step.attrs[axis].Get<absl::Span<const int64_t>>()) {
    first = std::min(first, static_cast<int>(given < 0 ? given + rank : given));
  }
  return first == rank ? 0 : first;  // None named: all of them.
}

}  // namespace switchyard::static_graph

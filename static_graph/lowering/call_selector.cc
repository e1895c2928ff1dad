// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/call_selector.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "phi/selection/preferences.h"
#include "static_graph/dialect/alias_analysis.h"
#include "static_graph/lowering/call_device.h"

namespace switchyard::static_graph {
namespace {

using phi::selection::Query;
using phi::selection::Selection;

bool AsksForContiguity(const phi::KernelDef& kernel,
                       absl::Span<const bool> maybe_strided) {
  return std::any_of(kernel.conditions.begin(), kernel.conditions.end(),
                     [&](const phi::Condition& condition) {
                       return condition.kind ==
                                  phi::Condition::Kind::kContiguous &&
                              maybe_strided[condition.input];
                     });
}

// A view may be contiguous after all, and then a kernel that asks for that may
// outrank the one chosen here: such candidates stay, to be asked again when the
// strides are known. Those of the place come before the host's, whichever wins.
void KeepStrideDependent(const phi::OpKernels& op_kernels,
                         const phi::selection::Policy& policy,
                         AskedCall* asked) {
  const Query& query = asked->query;
  absl::InlinedVector<bool, 8> maybe_strided(query.op->inputs.size(), false);
  for (const auto [argument, slot, meta] : query.inputs) {
    if (meta != nullptr && !meta->contiguous) maybe_strided[argument] = true;
  }
  Selection& selection = asked->selection;
  const auto old = selection.residual;
  selection.residual.clear();
  // Returns whether the winner is one of these.
  const auto keep = [&](Place place, bool strided) {
    return phi::selection::VisitInOrder(
        op_kernels.candidates(query.dtype), policy.prefer,
        [&](const phi::KernelDef& kernel) {
          if (!Serves(kernel, place)) return false;
          if (&kernel == selection.kernel) return true;
          if (std::find(old.begin(), old.end(), &kernel) != old.end() ||
              (strided && AsksForContiguity(kernel, maybe_strided))) {
            selection.residual.push_back(&kernel);
          }
          return false;
        });
  };
  if (keep(query.place, true) || query.place == Place::Cpu()) return;
  keep(Place::Cpu(), policy.allow_fallback);
}

}  // namespace

CallSelector::Facts CallSelector::facts(ir::Value value) const {
  const auto found = facts_.find(value);
  if (found != facts_.end()) return found->second;
  // Arguments and constants: contiguous (Executable sees to it), where the
  // program is. So are results of what was lowered before, except views.
  return {options_.place, !IsView(value)};
}

absl::Status CallSelector::Ask(const OpCall& call, AskedCall* asked) const {
  for (ir::Value input : call.inputs) {
    TensorMeta& meta = asked->metas.emplace_back();
    if (!input) continue;
    const Facts facts = this->facts(input);
    static_cast<TensorSpec&>(meta) = input.tensor_type().spec();
    meta.contiguous = facts.contiguous;
    meta.place = facts.place;
  }
  for (size_t slot = 0; slot < asked->metas.size(); ++slot) {
    asked->inputs.push_back(call.inputs[slot] ? &asked->metas[slot] : nullptr);
  }
  Query& query = asked->query;
  query.op = call.op->info;
  query.inputs = {asked->inputs, call.inputs.segments()};
  query.attrs = call.attrs;
  for (ir::Value output : call.outputs) {
    asked->outputs.push_back(output ? output.tensor_type().spec()
                                    : TensorSpec());
  }
  for (size_t slot = 0; slot < asked->outputs.size(); ++slot) {
    asked->wanted.push_back(call.outputs[slot] ? &asked->outputs[slot]
                                               : nullptr);
  }
  query.outputs = {asked->wanted, call.outputs.segments()};
  SY_ASSIGN_OR_RETURN(query.dtype, phi::selection::KeyDtype(
                                       *query.op, query.inputs, query.attrs));
  SY_ASSIGN_OR_RETURN(query.place,
                      phi::selection::CallPlace(*query.op, query.inputs,
                                                query.attrs, options_.place));
  return absl::OkStatus();
}

absl::Status CallSelector::Select(const OpCall& call,
                                  std::optional<Place> device,
                                  const phi::selection::Policy& policy,
                                  AskedCall* asked) const {
  const char* name = call.op->info->name;
  SY_RETURN_IF_ERROR(Annotate(Ask(call, asked), name));
  if (device.has_value()) asked->query.place = *device;
  const phi::OpKernels* const op_kernels = table_.Find(name);
  if (op_kernels == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(name, ": no kernel of it is linked"));
  }
  SY_ASSIGN_OR_RETURN(asked->selection, phi::selection::Select(
                                            *op_kernels, asked->query, policy));
  KeepStrideDependent(*op_kernels, policy, asked);
  return absl::OkStatus();
}

absl::StatusOr<Selection> CallSelector::SelectInLayout(
    const OpCall& call, LayoutDescriptor layout,
    const phi::selection::Policy& policy) const {
  AskedCall asked;
  SY_RETURN_IF_ERROR(Ask(call, &asked));
  for (TensorMeta& meta : asked.metas) {
    // An absent one has no dtype.
    if (meta.dtype == DataType::kUndefined || !Describes(layout, meta.shape)) {
      continue;
    }
    meta.layout = layout;
    meta.contiguous = true;
  }
  const phi::OpKernels* const op_kernels = table_.Find(call.op->info->name);
  if (op_kernels == nullptr) return absl::NotFoundError(call.op->info->name);
  return phi::selection::Select(*op_kernels, asked.query, policy);
}

}  // namespace switchyard::static_graph

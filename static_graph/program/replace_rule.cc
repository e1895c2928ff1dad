// SPDX-License-Identifier: Apache-2.0
#include "static_graph/program/replace_rule.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/block.h"
#include "static_graph/lowering/operation_selection.h"

namespace switchyard::static_graph {
namespace {

using phi::selection::OperationPolicy;
using phi::selection::Policy;
using phi::selection::Selection;

// Whether the policy lets no kernel serve that would serve otherwise, and
// prefers none.
bool RestrictsNothing(const Policy& policy) {
  Policy open;
  open.allow_fallback = policy.allow_fallback;
  open.strict = policy.strict;
  open.allow_thread_variant = policy.allow_thread_variant;
  return policy == open;
}

bool MakesViews(const phi::OpInfo& op) {
  return std::all_of(
      op.outputs.begin(), op.outputs.end(),
      [](const phi::OutputInfo& output) { return output.view_of >= 0; });
}

using Kernels = std::vector<const phi::KernelDef*>;

// The kernels that may serve a call, of which some may be undecided.
Kernels KernelsOf(const Selection& selection) {
  Kernels kernels(selection.residual.begin(), selection.residual.end());
  if (selection.kernel != nullptr) kernels.push_back(selection.kernel);
  return kernels;
}

// Whether one of `kernels` is of the backend of `kernel`.
bool HaveBackendOf(const Kernels& kernels, const phi::KernelDef& kernel) {
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](const phi::KernelDef* other) {
                       return other->key.backend == kernel.key.backend;
                     });
}

// The best place that one of the kernels has among the preferences.
size_t RankOf(const Kernels& kernels,
              const phi::selection::Preferences& prefer) {
  size_t best = std::numeric_limits<size_t>::max();
  for (const phi::KernelDef* kernel : kernels) {
    best = std::min(best, prefer.RankOf(*kernel));
  }
  return best;
}

class PolicyRule {
 public:
  PolicyRule(ir::Context* context, const phi::KernelTable& table,
             const LoweringOptions& lowering)
      : context_(context),
        table_(table),
        lowering_(lowering),
        policy_(lowering.admitted()) {}

  absl::StatusOr<bool> operator()(absl::Span<ir::Operation* const> parts,
                                  absl::Span<ir::Operation* const> made) const {
    SY_ASSIGN_OR_RETURN(const OperationPolicy own, PolicyOfAll(parts));
    const Policy policy = Merged(policy_, own);
    const ir::Operation* main = nullptr;
    for (const ir::Operation* op : made) {
      const DialectOp* const record = FindDialectOp(*op);
      if (record == nullptr) continue;
      if (!MakesViews(*record->info)) main = op;
      if (record->composite_only) continue;
      if (SelectedFor(*op, policy).empty()) return false;
    }
    // The operations that a composite becomes are not known before lowering.
    if (main == nullptr || FindDialectOp(*main)->composite_only) return false;
    SY_ASSIGN_OR_RETURN(const bool serves, Serves(*main, policy, parts));
    if (serves && !(own == OperationPolicy())) SetPolicy(own, made);
    return serves;
  }

 private:
  // The policies of the parts together. A list that keeps a part off a backend
  // keeps all of them off it.
  absl::StatusOr<OperationPolicy> PolicyOfAll(
      absl::Span<ir::Operation* const> parts) const {
    OperationPolicy all;
    for (const ir::Operation* part : parts) {
      SY_ASSIGN_OR_RETURN(const OperationPolicy own, ReadPolicy(*part, table_));
      all = Merged(all, own);
      const DialectOp* const record = FindDialectOp(*part);
      if (policy_.lists == nullptr || record == nullptr) continue;
      for (const BackendInfo* backend : table_.backends()) {
        const auto* const list = policy_.lists->Find(*backend);
        if (list != nullptr && !list->Admits(record->info->name)) {
          all.declined.Add(*backend);
        }
      }
    }
    return all;
  }

  // The kernels that may serve an operation; none if it has none that fits.
  Kernels SelectedFor(const ir::Operation& op, const Policy& policy) const {
    const auto selection = SelectAlone(op, table_, lowering_, policy);
    return selection.ok() ? KernelsOf(*selection) : Kernels();
  }

  // Whether the kernels of `main` under `policy` are as good as those of the
  // parts under theirs: none of these is preferred, and none is of a backend
  // from which only the policies of the other parts keep `main`.
  absl::StatusOr<bool> Serves(const ir::Operation& main, const Policy& policy,
                              absl::Span<ir::Operation* const> parts) const {
    const Kernels kernels = SelectedFor(main, policy);
    Kernels lost = SelectedFor(main, Policy());
    lost.erase(std::remove_if(lost.begin(), lost.end(),
                              [&](const phi::KernelDef* kernel) {
                                return HaveBackendOf(kernels, *kernel);
                              }),
               lost.end());
    if (lost.empty() && policy.prefer == nullptr) return true;
    for (const ir::Operation* part : parts) {
      const DialectOp* const record = FindDialectOp(*part);
      if (record == nullptr || record->composite_only) continue;
      SY_ASSIGN_OR_RETURN(const Policy of_part,
                          PolicyOf(*part, table_, policy_));
      const Kernels own = SelectedFor(*part, of_part);
      if (policy.prefer != nullptr &&
          RankOf(own, *policy.prefer) < RankOf(kernels, *policy.prefer)) {
        return false;
      }
      for (const phi::KernelDef* kernel : lost) {
        if (HaveBackendOf(own, *kernel)) return false;
      }
    }
    return true;
  }

  void SetPolicy(const OperationPolicy& own,
                 absl::Span<ir::Operation* const> made) const {
    const std::string text = ToString(own);
    for (ir::Operation* op : made) {
      if (FindDialectOp(*op) == nullptr) continue;
      op->SetAttribute(context_->GetString(kPolicyAttr),
                       context_->GetAttribute(std::string_view(text)));
    }
  }

  ir::Context* context_;
  const phi::KernelTable& table_;
  LoweringOptions lowering_;
  Policy policy_;
};

}  // namespace

ReplaceRule MakeReplaceRule(const ir::Program& program,
                            const phi::KernelTable& table,
                            const LoweringOptions& lowering) {
  const std::vector<ir::Operation*> all = ir::AllOperations(program.entry());
  const bool free =
      RestrictsNothing(lowering.policy) &&
      std::none_of(all.begin(), all.end(), [](const ir::Operation* op) {
        return bool(op->attribute(kPolicyAttr));
      });
  if (free) return nullptr;
  return PolicyRule(program.context(), table, lowering);
}

KernelRule MakeKernelRule(const phi::KernelTable& table,
                          const LoweringOptions& lowering) {
  return [&table, lowering](const ir::Operation& op) {
    const auto policy = PolicyOf(op, table, lowering.admitted());
    if (!policy.ok()) return false;
    const auto selection = SelectAlone(op, table, lowering, *policy);
    return selection.ok() && !KernelsOf(*selection).empty();
  };
}

}  // namespace switchyard::static_graph

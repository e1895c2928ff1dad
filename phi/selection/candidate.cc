// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/candidate.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/core/library_asked.h"
#include "phi/selection/alternatives.h"
#include "phi/selection/layouts.h"
#include "phi/selection/policy_rules.h"

namespace switchyard::phi::selection {
namespace {

constexpr ArgDef kOrdinary;

// A legacy kernel need not describe every argument.
const ArgDef& GetArgDef(absl::Span<const ArgDef> defs, int argument) {
  return argument < static_cast<int>(defs.size()) ? defs[argument] : kOrdinary;
}

bool DtypeFits(const ArgDef& arg, DataType dtype, DataType key) {
  switch (arg.dtype_rule) {
    case ArgDef::Dtype::kKey:
      return dtype == key;
    case ArgDef::Dtype::kFixed:
      return dtype == arg.fixed;
    case ArgDef::Dtype::kSet:
      return arg.set.contains(dtype);
    case ArgDef::Dtype::kAny:
      return true;
  }
  return false;
}

// Returns the only dtype that the argument may have here; kUndefined if there
// is no such dtype.
DataType DtypeToCastTo(const ArgDef& arg, DataType key) {
  switch (arg.dtype_rule) {
    case ArgDef::Dtype::kKey:
      return key;
    case ArgDef::Dtype::kFixed:
      return arg.fixed;
    default:
      return DataType::kUndefined;
  }
}

// The transforms that one tensor needs, except for its layout.
struct Needs {
  bool copy = false;
  bool contiguous = false;
  bool cast = false;

  bool any() const { return copy || contiguous || cast; }
};

Needs GetNeeds(const TensorMeta& tensor, const InputInfo& info,
               const ArgDef& arg, const Query& query, Place run_place) {
  Needs needs;
  if (info.skip_transform) {
    // It is handed over as it is, except to a fallback: that reads no device.
    needs.copy = run_place != query.place && !info.no_need_buffer &&
                 tensor.place != run_place;
    return needs;
  }
  needs.cast = !DtypeFits(arg, tensor.dtype, query.dtype);
  if (info.no_need_buffer) return needs;
  needs.copy = tensor.place != (arg.host ? Place::Cpu() : run_place);
  // A copy is contiguous already.
  needs.contiguous = !tensor.contiguous && !arg.strided && !needs.copy;
  return needs;
}

Verdict False(Requirement requirement, int slot = 0) {
  Verdict verdict;
  verdict.truth = Tristate::kFalse;
  verdict.requirement = requirement;
  verdict.slot = static_cast<uint16_t>(slot);
  return verdict;
}

// Nearly every tensor is as the kernel asks; the rest is looked at in detail.
bool IsAsAsked(const TensorMeta& tensor, const ArgDef& arg, DataType key,
               Place run_place) {
  return tensor.kind == arg.kind && DtypeFits(arg, tensor.dtype, key) &&
         tensor.place == run_place && !arg.host && tensor.layout.strided() &&
         (tensor.contiguous || arg.strided);
}

// Kind, dtype and place of one tensor.
Verdict MatchTensor(const TensorMeta& tensor, int slot, const InputInfo& info,
                    const ArgDef& arg, const Query& query, const Policy& policy,
                    Place run_place) {
  if (tensor.kind != arg.kind) return False(Requirement::kKind, slot);
  const Needs needs = GetNeeds(tensor, info, arg, query, run_place);
  Verdict verdict;
  verdict.layout = !tensor.layout.strided();
  if (!needs.any()) return verdict;
  if (needs.cast && (!info.castable ||
                     DtypeToCastTo(arg, query.dtype) == DataType::kUndefined)) {
    return False(Requirement::kDtype, slot);
  }
  // A tensor of another place is a mistake of the caller's, unless the kernel
  // reads it on the host or the whole call moves to the CPU.
  if (needs.copy && !arg.host && run_place == query.place) {
    return False(Requirement::kPlace, slot);
  }
  if (!policy.allow_transforms) return False(Requirement::kUntransformed, slot);
  verdict.transforms = true;
  return verdict;
}

// Kinds of the outputs that are wanted.
Verdict MatchOutputs(const KernelDef& def, const Query& query) {
  for (size_t slot = 0; slot < query.outputs.size(); ++slot) {
    const TensorSpec* const meta = query.outputs[slot];
    if (meta == nullptr) continue;
    const int argument =
        query.outputs.segments().argument_of(static_cast<int>(slot));
    if (meta->kind != GetArgDef(def.outputs, argument).kind) {
      return False(Requirement::kOutputKind, static_cast<int>(slot));
    }
  }
  return {};
}

Verdict MatchTensors(const KernelDef& def, const Query& query,
                     const Policy& policy, Place run_place) {
  const OpInfo& op = *query.op;
  Verdict all;
  for (const auto [argument, slot, tensor] : query.inputs) {
    const ArgDef& arg = GetArgDef(def.inputs, argument);
    if (tensor == nullptr || IsAsAsked(*tensor, arg, query.dtype, run_place)) {
      continue;
    }
    const Verdict verdict = MatchTensor(*tensor, slot, op.inputs[argument], arg,
                                        query, policy, run_place);
    if (verdict.truth != Tristate::kTrue) return verdict;
    all.transforms |= verdict.transforms;
    all.layout |= verdict.layout;
  }
  return all;
}

Tristate HasElements(const Shape& shape) {
  Tristate truth = Tristate::kTrue;
  for (const Dim dim : shape.dims()) {
    if (!dim.known()) {
      truth = Tristate::kUndecided;
    } else if (dim.value() == 0) {
      return Tristate::kFalse;
    }
  }
  return truth;
}

// Whether every tensor has elements.
Verdict MatchEmptiness(const Query& query) {
  Verdict undecided;
  for (size_t slot = 0; slot < query.inputs.size(); ++slot) {
    if (query.inputs[slot] == nullptr) continue;
    const Tristate truth = HasElements(query.inputs[slot]->shape);
    Verdict verdict = False(Requirement::kNotEmpty, static_cast<int>(slot));
    verdict.truth = truth;
    if (truth == Tristate::kFalse) return verdict;
    if (truth == Tristate::kUndecided && undecided.truth == Tristate::kTrue) {
      undecided = verdict;
    }
  }
  return undecided;
}

// Whether the layouts suit a call that meets all other requirements.
Verdict MatchKernelLayouts(const KernelDef& def, const Query& query,
                           const Policy& policy, Verdict verdict,
                           TensorLayouts* layouts) {
  Verdict refused = False(Requirement::kLayout);
  refused.truth = ComputeLayouts(def, query, layouts);
  if (refused.truth != Tristate::kTrue) return refused;
  if (!NeedsReorders(query, *layouts)) return verdict;
  verdict.transforms = true;
  return policy.allow_transforms ? verdict : False(Requirement::kLayout);
}

std::string DtypeNames(const ArgDef& arg, DataType key) {
  if (arg.dtype_rule != ArgDef::Dtype::kSet) {
    return std::string(Name(DtypeToCastTo(arg, key)));
  }
  std::vector<std::string_view> names;
  for (int i = 1; i < kNumDataTypes; ++i) {
    const DataType dtype = static_cast<DataType>(i);
    if (arg.set.contains(dtype)) names.push_back(Name(dtype));
  }
  return Alternatives(names);
}

std::string TransformNames(const Needs& needs) {
  std::string names;
  const auto add = [&names](bool needed, const char* name) {
    if (!needed) return;
    if (!names.empty()) names += " and ";
    names += name;
  };
  add(needs.copy, "copy");
  add(needs.contiguous, "contiguous");
  add(needs.cast, "cast");
  return names;
}

Mismatch DescribeOutputKind(const Verdict& verdict, const KernelDef& def,
                            const Query& query) {
  const int argument = query.outputs.segments().argument_of(verdict.slot);
  return {query.op->outputs[argument].name,
          std::string(Name(GetArgDef(def.outputs, argument).kind)),
          std::string(Name(query.outputs[verdict.slot]->kind))};
}

Mismatch DescribeTensorRequirement(const Verdict& verdict, const KernelDef& def,
                                   const Query& query, Place run_place) {
  const int argument = query.inputs.segments().argument_of(verdict.slot);
  const InputInfo& info = query.op->inputs[argument];
  const ArgDef& arg = GetArgDef(def.inputs, argument);
  const TensorMeta& tensor = *query.inputs[verdict.slot];
  const std::string subject =
      SlotName(*query.op, query.inputs.segments(), verdict.slot);
  switch (verdict.requirement) {
    case Requirement::kKind:
      return {subject, std::string(Name(arg.kind)),
              std::string(Name(tensor.kind))};
    case Requirement::kDtype:
      return {subject, DtypeNames(arg, query.dtype),
              std::string(Name(tensor.dtype))};
    case Requirement::kPlace:
      return {subject, absl::StrCat("on ", ToString(run_place)),
              ToString(tensor.place)};
    case Requirement::kNotEmpty:
      return {absl::StrCat("numel(", subject, ")"), "at least 1",
              ToString(tensor.shape)};
    default:
      return {subject, "usable without transforms (the policy forbids them)",
              absl::StrCat("one that needs ",
                           TransformNames(
                               GetNeeds(tensor, info, arg, query, run_place)))};
  }
}

}  // namespace

Verdict MatchKernel(const KernelDef& def, const Query& query,
                    const Policy& policy, Role role, TensorLayouts* layouts) {
  const Requirement broken = BrokenRule(def, query, policy, role);
  if (broken != Requirement::kNone) return False(broken);
  const Place place = RunPlace(query, role);
  Verdict verdict = MatchTensors(def, query, policy, place);
  if (verdict.truth != Tristate::kTrue) return verdict;
  const bool transforms = verdict.transforms;
  const bool layout = verdict.layout || def.layouts != nullptr;
  verdict = MatchOutputs(def, query);
  if (verdict.truth != Tristate::kTrue) return verdict;
  if (!def.empty_ok) {
    verdict = MatchEmptiness(query);
    if (verdict.truth == Tristate::kFalse) return verdict;
  }
  for (size_t i = 0; i < def.conditions.size();
       i += NumEntries(def.conditions[i])) {
    const absl::Span<const Condition> rest = def.conditions.subspan(i);
    const Tristate truth = IsLibraryAsked(rest.front())
                               ? EvaluateLibrary(def, policy)
                               : Evaluate(rest, query, place);
    if (truth == Tristate::kTrue) continue;
    Verdict found = False(Requirement::kCondition);
    found.truth = truth;
    found.condition = static_cast<uint16_t>(i);
    if (truth == Tristate::kFalse) return found;
    if (verdict.truth == Tristate::kTrue) verdict = found;
  }
  verdict.transforms = transforms;
  if (layout && verdict.truth == Tristate::kTrue) {
    return MatchKernelLayouts(def, query, policy, verdict, layouts);
  }
  return verdict;
}

bool MakesOnlyViews(const KernelDef& def, const OpInfo& op) {
  if (op.outputs.empty()) return false;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const ArgDef& output = GetArgDef(def.outputs, static_cast<int>(i));
    if (op.outputs[i].view_of < 0 || output.self_allocated) return false;
  }
  return true;
}

Mismatch Describe(const Verdict& verdict, const KernelDef& def,
                  const Query& query, const Policy& policy, Role role) {
  switch (verdict.requirement) {
    case Requirement::kNone:
      return {};
    case Requirement::kDevice:
    case Requirement::kAdmitted:
    case Requirement::kOrigin:
    case Requirement::kThreadInvariant:
    case Requirement::kListed:
    case Requirement::kLibrary:
      return DescribeRule(verdict.requirement, def, query, policy, role);
    case Requirement::kOutputKind:
      return DescribeOutputKind(verdict, def, query);
    case Requirement::kCondition: {
      const auto rest = def.conditions.subspan(verdict.condition);
      return IsLibraryAsked(rest.front())
                 ? DescribeLibrary(def)
                 : Describe(rest, query, RunPlace(query, role));
    }
    case Requirement::kLayout:
      return DescribeLayouts(def, query);
    default:
      return DescribeTensorRequirement(verdict, def, query,
                                       RunPlace(query, role));
  }
}

void AppendTransforms(const KernelDef& def, const Query& query, Role role,
                      const TensorLayouts& layouts, Transforms* inputs,
                      Transforms* outputs) {
  using Kind = Transform::Kind;
  const Place run_place = RunPlace(query, role);
  for (const auto [argument, i, tensor] : query.inputs) {
    if (tensor == nullptr) continue;
    const ArgDef& arg = GetArgDef(def.inputs, argument);
    const Needs needs =
        GetNeeds(*tensor, query.op->inputs[argument], arg, query, run_place);
    const LayoutDescriptor wanted =
        layouts.inputs.empty() ? LayoutDescriptor() : layouts.inputs[i];
    const bool reorder = tensor->layout != wanted;
    if (!needs.any() && !reorder) continue;
    const uint16_t slot = static_cast<uint16_t>(i);
    if (needs.copy) {
      const Place to = arg.host ? Place::Cpu() : run_place;
      inputs->push_back({Kind::kCopy, slot, DataType::kUndefined, to});
    }
    // Casts are of strided tensors.
    const bool back =
        !tensor->layout.strided() && (needs.cast || wanted.strided());
    if (back) inputs->push_back({Kind::kReorder, slot});
    // A reorder reads any strides.
    if (needs.contiguous && (needs.cast || !reorder)) {
      inputs->push_back({Kind::kContiguous, slot});
    }
    if (needs.cast) {
      inputs->push_back(
          {Kind::kCast, slot, DtypeToCastTo(arg, query.dtype), {}});
    }
    if (!wanted.strided() && (back || reorder)) {
      inputs->push_back(
          {Kind::kReorder, slot, DataType::kUndefined, {}, wanted});
    }
  }
  for (size_t i = 0; i < layouts.outputs.size(); ++i) {
    const bool wanted =
        query.outputs.size() == 0 || query.outputs[i] != nullptr;
    if (!wanted || layouts.outputs[i].strided()) continue;
    outputs->push_back({Kind::kReorder,
                        static_cast<uint16_t>(i),
                        DataType::kUndefined,
                        {},
                        layouts.outputs[i]});
  }
}

}  // namespace switchyard::phi::selection

// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/examine.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "phi/selection/layouts.h"

namespace switchyard::phi::selection {
namespace {

constexpr ArgDef kOrdinary;

// A guest need not describe every argument.
const ArgDef& ArgDefOf(absl::Span<const ArgDef> defs, int argument) {
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

// The one dtype that a cast would have to give; undefined if there is no one.
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

Needs NeedsOf(const TensorDesc& tensor, const InputInfo& info,
              const ArgDef& arg, const Query& query, Place run_place) {
  Needs needs;
  if (info.skip_transform) return needs;
  needs.cast = !DtypeFits(arg, tensor.dtype, query.dtype);
  if (info.no_need_buffer) return needs;
  needs.copy = tensor.place != (arg.host ? Place::Cpu() : run_place);
  // A copy is contiguous already.
  needs.contiguous = !tensor.contiguous && !arg.strided && !needs.copy;
  return needs;
}

Check False(Demand demand, int slot = 0) {
  Check check;
  check.truth = Truth::kFalse;
  check.demand = demand;
  check.slot = static_cast<uint16_t>(slot);
  return check;
}

Check ExaminePolicy(const KernelDef& def, const Policy& policy,
                    Place run_place) {
  const BackendInfo& backend = *def.key.backend;
  if (backend.device != FindDevice(run_place.type)) {
    return False(Demand::kDevice);
  }
  if (!policy.backends.contains(backend)) return False(Demand::kAdmitted);
  if (policy.form.has_value() && *policy.form != def.form) {
    return False(Demand::kForm);
  }
  if (!def.thread_invariant && !policy.allow_thread_variant) {
    return False(Demand::kThreadInvariant);
  }
  return {};
}

// Nearly every tensor is as the kernel asks; the rest is looked at in detail.
bool IsAsAsked(const TensorDesc& tensor, const ArgDef& arg, DataType key,
               Place run_place) {
  return tensor.kind == arg.kind && DtypeFits(arg, tensor.dtype, key) &&
         tensor.place == run_place && !arg.host && tensor.layout.strided() &&
         (tensor.contiguous || arg.strided);
}

// Kind, dtype and place of one tensor.
Check ExamineTensor(const TensorDesc& tensor, int slot, const InputInfo& info,
                    const ArgDef& arg, const Query& query, const Policy& policy,
                    Place run_place) {
  if (tensor.kind != arg.kind) return False(Demand::kKind, slot);
  const Needs needs = NeedsOf(tensor, info, arg, query, run_place);
  Check check;
  check.layout = !tensor.layout.strided();
  if (!needs.any()) return check;
  if (needs.cast && (!info.castable ||
                     DtypeToCastTo(arg, query.dtype) == DataType::kUndefined)) {
    return False(Demand::kDtype, slot);
  }
  // A tensor of another place is a mistake of the caller's, unless the kernel
  // reads it on the host or the whole call moves to the CPU.
  if (needs.copy && !arg.host && run_place == query.place) {
    return False(Demand::kPlace, slot);
  }
  if (!policy.allow_transforms) return False(Demand::kUntransformed, slot);
  check.transforms = true;
  return check;
}

// Kinds of the outputs that are wanted.
Check ExamineOutputs(const KernelDef& def, const Query& query) {
  for (size_t slot = 0; slot < query.outputs.size(); ++slot) {
    const MetaTensor* const meta = query.outputs[slot];
    if (meta == nullptr) continue;
    const int argument =
        query.outputs.segments().argument_of(static_cast<int>(slot));
    if (meta->kind != ArgDefOf(def.outputs, argument).kind) {
      return False(Demand::kOutputKind, static_cast<int>(slot));
    }
  }
  return {};
}

Check ExamineTensors(const KernelDef& def, const Query& query,
                     const Policy& policy, Place run_place) {
  const OpInfo& op = *query.op;
  Check all;
  for (const auto [argument, slot, tensor] : query.inputs) {
    const ArgDef& arg = ArgDefOf(def.inputs, argument);
    if (tensor.shape == nullptr ||
        IsAsAsked(tensor, arg, query.dtype, run_place)) {
      continue;
    }
    const Check check = ExamineTensor(tensor, slot, op.inputs[argument], arg,
                                      query, policy, run_place);
    if (check.truth != Truth::kTrue) return check;
    all.transforms |= check.transforms;
    all.layout |= check.layout;
  }
  return all;
}

Truth HasElements(const Shape& shape) {
  Truth truth = Truth::kTrue;
  for (const Dim dim : shape.dims()) {
    if (!dim.known()) {
      truth = Truth::kUndecided;
    } else if (dim.value() == 0) {
      return Truth::kFalse;
    }
  }
  return truth;
}

// Whether every tensor has elements.
Check ExamineEmptiness(const Query& query) {
  Check undecided;
  for (size_t slot = 0; slot < query.inputs.size(); ++slot) {
    if (query.inputs[slot].shape == nullptr) continue;
    const Truth truth = HasElements(*query.inputs[slot].shape);
    Check check = False(Demand::kNotEmpty, static_cast<int>(slot));
    check.truth = truth;
    if (truth == Truth::kFalse) return check;
    if (truth == Truth::kUndecided && undecided.truth == Truth::kTrue) {
      undecided = check;
    }
  }
  return undecided;
}

// Whether the layouts suit a call that meets all other demands.
Check ExamineLayouts(const KernelDef& def, const Query& query,
                     const Policy& policy, Check check,
                     TensorLayouts* layouts) {
  Check refused = False(Demand::kLayout);
  refused.truth = AskLayouts(def, query, layouts);
  if (refused.truth != Truth::kTrue) return refused;
  if (!NeedsReorders(query, *layouts)) return check;
  check.transforms = true;
  return policy.allow_transforms ? check : False(Demand::kLayout);
}

std::string DtypeNames(const ArgDef& arg, DataType key) {
  if (arg.dtype_rule != ArgDef::Dtype::kSet) {
    return std::string(Name(DtypeToCastTo(arg, key)));
  }
  std::string names;
  for (int i = 1; i < kNumDataTypes; ++i) {
    const DataType dtype = static_cast<DataType>(i);
    if (!arg.set.contains(dtype)) continue;
    if (!names.empty()) names += " or ";
    names += Name(dtype);
  }
  return names;
}

Finding DescribePolicy(Demand demand, const KernelDef& def,
                       const Policy& policy, Place run_place) {
  const BackendInfo& backend = *def.key.backend;
  switch (demand) {
    case Demand::kDevice:
      return {"device", Name(run_place.type), backend.device->name};
    case Demand::kAdmitted:
      return {"backend",
              absl::StrCat("admitted by the policy (",
                           policy.backends.ToString(), ")"),
              backend.name};
    case Demand::kForm:
      return {"form", std::string(Name(*policy.form)),
              std::string(Name(def.form))};
    default:
      return {"bits", "the same with any number of threads",
              "a kernel whose bits vary"};
  }
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

Finding DescribeOutputKind(const Check& check, const KernelDef& def,
                           const Query& query) {
  const int argument = query.outputs.segments().argument_of(check.slot);
  return {query.op->outputs[argument].name,
          std::string(Name(ArgDefOf(def.outputs, argument).kind)),
          std::string(Name(query.outputs[check.slot]->kind))};
}

Finding DescribeTensorDemand(const Check& check, const KernelDef& def,
                             const Query& query, Place run_place) {
  const int argument = query.inputs.segments().argument_of(check.slot);
  const InputInfo& info = query.op->inputs[argument];
  const ArgDef& arg = ArgDefOf(def.inputs, argument);
  const TensorDesc& tensor = query.inputs[check.slot];
  const std::string subject =
      SlotName(*query.op, query.inputs.segments(), check.slot);
  switch (check.demand) {
    case Demand::kKind:
      return {subject, std::string(Name(arg.kind)),
              std::string(Name(tensor.kind))};
    case Demand::kDtype:
      return {subject, DtypeNames(arg, query.dtype),
              std::string(Name(tensor.dtype))};
    case Demand::kPlace:
      return {subject, absl::StrCat("on ", ToString(run_place)),
              ToString(tensor.place)};
    case Demand::kNotEmpty:
      return {absl::StrCat("numel(", subject, ")"), "at least 1",
              ToString(*tensor.shape)};
    default:
      return {subject, "usable without transforms (the policy forbids them)",
              absl::StrCat("one that needs ",
                           TransformNames(
                               NeedsOf(tensor, info, arg, query, run_place)))};
  }
}

}  // namespace

Check Examine(const KernelDef& def, const Query& query, const Policy& policy,
              Place run_place, TensorLayouts* layouts) {
  Check check = ExaminePolicy(def, policy, run_place);
  if (check.truth != Truth::kTrue) return check;
  check = ExamineTensors(def, query, policy, run_place);
  if (check.truth != Truth::kTrue) return check;
  const bool transforms = check.transforms;
  const bool layout = check.layout || def.layouts != nullptr;
  check = ExamineOutputs(def, query);
  if (check.truth != Truth::kTrue) return check;
  if (!def.empty_ok) {
    check = ExamineEmptiness(query);
    if (check.truth == Truth::kFalse) return check;
  }
  for (size_t i = 0; i < def.conditions.size(); ++i) {
    const Truth truth = Evaluate(def.conditions[i], query);
    if (truth == Truth::kTrue) continue;
    Check found = False(Demand::kCondition);
    found.truth = truth;
    found.condition = static_cast<uint16_t>(i);
    if (truth == Truth::kFalse) return found;
    if (check.truth == Truth::kTrue) check = found;
  }
  check.transforms = transforms;
  if (layout && check.truth == Truth::kTrue) {
    return ExamineLayouts(def, query, policy, check, layouts);
  }
  return check;
}

Finding Describe(const Check& check, const KernelDef& def, const Query& query,
                 const Policy& policy, Place run_place) {
  switch (check.demand) {
    case Demand::kNone:
      return {};
    case Demand::kDevice:
    case Demand::kAdmitted:
    case Demand::kForm:
    case Demand::kThreadInvariant:
      return DescribePolicy(check.demand, def, policy, run_place);
    case Demand::kOutputKind:
      return DescribeOutputKind(check, def, query);
    case Demand::kCondition:
      return Describe(def.conditions[check.condition], query);
    case Demand::kLayout:
      return DescribeLayouts(def, query);
    default:
      return DescribeTensorDemand(check, def, query, run_place);
  }
}

void AppendTransforms(const KernelDef& def, const Query& query, Place run_place,
                      const TensorLayouts& layouts, Transforms* inputs,
                      Transforms* outputs) {
  using Kind = Transform::Kind;
  for (const auto [argument, i, tensor] : query.inputs) {
    if (tensor.shape == nullptr) continue;
    const ArgDef& arg = ArgDefOf(def.inputs, argument);
    const Needs needs =
        NeedsOf(tensor, query.op->inputs[argument], arg, query, run_place);
    const LayoutDescriptor wanted =
        layouts.inputs.empty() ? LayoutDescriptor() : layouts.inputs[i];
    const bool reorder = tensor.layout != wanted;
    if (!needs.any() && !reorder) continue;
    const uint16_t slot = static_cast<uint16_t>(i);
    if (needs.copy) {
      const Place to = arg.host ? Place::Cpu() : run_place;
      inputs->push_back({Kind::kCopy, slot, DataType::kUndefined, to});
    }
    // Casts are of strided tensors.
    const bool back =
        !tensor.layout.strided() && (needs.cast || wanted.strided());
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

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/build_op.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "phi/core/arg_buffer.h"
#include "phi/promotion/op_promotion.h"
#include "static_graph/dialect/composite_ops.h"
#include "static_graph/dialect/infer_types.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/segments.h"

namespace switchyard::static_graph {
namespace {

// A call that is being checked and completed before its operation is created.
struct Draft {
  const phi::OpInfo* info;
  std::vector<ir::Value> inputs;  // With promoted ones cast.
  phi::ArgSegments input_segments;
  std::vector<AttrRef> attrs;
  std::vector<SuppliedAttr> supplied;  // As OpCall has them.
  std::vector<std::vector<AttrValue>> elements;
  std::vector<std::vector<int64_t>> known;  // Of the ones that became plain.
  phi::ArgLayout outputs;
  absl::InlinedVector<bool, 8> wanted;  // By output slot.
  std::vector<ir::TensorType> types;    // By output slot.

  InputValues input_list() const { return {inputs, input_segments}; }
  phi::ArgList<const bool> wanted_list() const {
    return {wanted, outputs.segments()};
  }
};

absl::Status CheckInputs(const Draft& draft) {
  const absl::Span<const phi::InputInfo> infos = draft.info->inputs;
  const phi::ArgSegments& segments = draft.input_segments;
  if (segments.arguments() != static_cast<int>(infos.size()) ||
      segments.size() != static_cast<int>(draft.inputs.size())) {
    return ArgumentError("inputs", absl::StrCat(infos.size(), " arguments"),
                         absl::StrCat(segments.arguments(), " arguments in ",
                                      draft.inputs.size(), " slots"));
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    const absl::Span<const ir::Value> values =
        draft.input_list().list(static_cast<int>(i));
    if (!infos[i].list && values.size() != 1) {
      return ArgumentError(infos[i].name, "one tensor",
                           absl::StrCat(values.size()));
    }
    for (ir::Value value : values) {
      if (value && !value.tensor_type()) {
        return TypeError(infos[i].name, "a tensor", ir::ToString(value.type()));
      }
      if (value || (infos[i].optional && !infos[i].list)) continue;
      return ArgumentError(infos[i].name, "given", "no tensor");
    }
  }
  return absl::OkStatus();
}

// The attribute as a plain one, if each element is a known integer.
std::optional<AttrRef> PlainAttribute(const phi::AttrInfo& info,
                                      absl::Span<const AttrValue> elements,
                                      Draft* draft) {
  if (!AttrValues(elements).known()) return std::nullopt;
  std::vector<int64_t>& known = draft->known.emplace_back();
  for (AttrValue element : elements) known.push_back(element.value());
  const int64_t first = known.empty() ? 0 : known[0];
  switch (info.type) {
    case AttrType::kInt64s:
      return absl::MakeConstSpan(known);
    case AttrType::kInt64:
      return first;
    case AttrType::kInt:
      // A larger one is refused where it is read.
      if (static_cast<int>(first) != first) return std::nullopt;
      return static_cast<int>(first);
    default:
      return std::nullopt;
  }
}

// Puts supplied values into the place of attributes.
absl::Status SupplyAttributes(absl::Span<const SuppliedAttr> supplied,
                              Draft* draft) {
  for (const SuppliedAttr& given : supplied) {
    const phi::AttrInfo& info = draft->info->attrs[given.attr];
    if (!info.supplied) {
      return ArgumentError(info.name, "known when the program is made",
                           "a value of the program");
    }
    SY_ASSIGN_OR_RETURN(std::vector<AttrValue> elements,
                        GetElements(info, given.values));
    if (const auto plain = PlainAttribute(info, elements, draft)) {
      draft->attrs[given.attr] = *plain;
      continue;
    }
    draft->elements.push_back(std::move(elements));
    draft->attrs[given.attr] =
        AttrRef::Supplied(info.type, draft->elements.back());
    draft->supplied.push_back(given);
  }
  return absl::OkStatus();
}

absl::Status CompleteAttributes(absl::Span<const AttrRef> given,
                                absl::Span<const SuppliedAttr> supplied,
                                Draft* draft) {
  const auto is_supplied = [&](size_t i) {
    return std::any_of(supplied.begin(), supplied.end(),
                       [&](const SuppliedAttr& attr) {
                         return attr.attr == static_cast<int>(i);
                       });
  };
  const absl::Span<const phi::AttrInfo> infos = draft->info->attrs;
  if (given.size() > infos.size()) {
    return ArgumentError("attributes", absl::StrCat("at most ", infos.size()),
                         absl::StrCat(given.size()));
  }
  draft->attrs.reserve(infos.size());
  for (size_t i = 0; i < infos.size(); ++i) {
    if (is_supplied(i)) {
      draft->attrs.emplace_back();
    } else if (i < given.size()) {
      if (given[i].type() != infos[i].type) {
        return TypeError(infos[i].name, Name(infos[i].type),
                         Name(given[i].type()));
      }
      draft->attrs.push_back(given[i]);
    } else if (infos[i].has_default) {
      draft->attrs.push_back(infos[i].default_value);
    } else {
      return ArgumentError(infos[i].name, "given", "no value");
    }
  }
  return SupplyAttributes(supplied, draft);
}

absl::Status PlanOutputs(absl::Span<const bool> wanted, Draft* draft) {
  const phi::OpInfo& info = *draft->info;
  SY_RETURN_IF_ERROR(phi::LayOutOutputs(info, draft->input_segments,
                                        draft->attrs, &draft->outputs));
  draft->wanted.assign(draft->outputs.size(), true);
  const phi::ArgList<bool> all_wanted(absl::MakeSpan(draft->wanted),
                                      draft->outputs.segments());
  for (size_t i = 0; i < info.outputs.size(); ++i) {
    // The new state of an absent input.
    const int source = info.outputs[i].inplace_of;
    if (!info.outputs[i].optional || source < 0 || info.outputs[i].list ||
        draft->input_list().one(source)) {
      continue;
    }
    all_wanted.one(static_cast<int>(i)) = false;
  }
  if (wanted.empty()) return absl::OkStatus();
  if (wanted.size() != info.outputs.size()) {
    return ArgumentError("wanted",
                         absl::StrCat("for ", info.outputs.size(), " outputs"),
                         absl::StrCat(wanted.size()));
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    // An output that is not optional is computed anyway.
    if (wanted[i] || !info.outputs[i].optional) continue;
    for (bool& one : all_wanted.list(static_cast<int>(i))) one = false;
  }
  return absl::OkStatus();
}

// Casts the inputs that the promotion rule names.
absl::Status Promote(ir::Builder& builder, Draft* draft) {
  const InputValues inputs = draft->input_list();
  SY_ASSIGN_OR_RETURN(
      const DataType promoted,
      phi::promotion::PromotedDtype(*draft->info, inputs, [](ir::Value input) {
        using phi::promotion::InputType;
        if (!input) return InputType();
        const ir::TensorType type = input.tensor_type();
        return InputType{type.dtype(), type.shape().rank() == 0};
      }));
  if (promoted == DataType::kUndefined) return absl::OkStatus();
  for (const auto [argument, slot, input] : inputs) {
    if (!input || !phi::promotion::IsPromoted(*draft->info, argument) ||
        input.tensor_type().dtype() == promoted) {
      continue;
    }
    SY_ASSIGN_OR_RETURN(draft->inputs[slot],
                        BuildCast(builder, input, promoted));
  }
  return absl::OkStatus();
}

// Checks that an input written in place is present, was not converted, and has
// the result's type.
absl::Status CheckWritten(const InputValues& given, const Draft& draft) {
  const phi::OpInfo& info = *draft.info;
  for (size_t i = 0; i < info.outputs.size(); ++i) {
    const int input = info.outputs[i].inplace_of;
    if (input < 0 || info.outputs[i].list) continue;
    const ir::Value written = given.one(input);
    const ir::TensorType type =
        draft.types[draft.outputs.segments().begin(static_cast<int>(i))];
    if (!written || !type) continue;
    if (written == draft.input_list().one(input) && written.type() == type) {
      continue;
    }
    return TypeError(info.inputs[input].name,
                     absl::StrCat("of the result's type ", ir::ToString(type),
                                  " to be written in place"),
                     ir::ToString(written.type()));
  }
  return absl::OkStatus();
}

absl::Status InferTypes(ir::Context* context, Draft* draft) {
  std::vector<ir::TensorType> types;
  types.reserve(draft->inputs.size());
  for (ir::Value input : draft->inputs) {
    types.push_back(input ? input.tensor_type() : ir::TensorType());
  }
  SY_ASSIGN_OR_RETURN(const std::vector<TensorSpec> metas,
                      InferMeta(*draft->info, {{types, draft->input_segments},
                                               draft->attrs,
                                               draft->wanted_list()}));
  draft->types.reserve(metas.size());
  for (size_t slot = 0; slot < metas.size(); ++slot) {
    draft->types.push_back(draft->wanted[slot]
                               ? context->GetTensorType(metas[slot])
                               : ir::TensorType());
  }
  return absl::OkStatus();
}

// An attribute of segment sizes if some argument need not have one entry.
// `after` are those of segments after the arguments.
template <typename Infos, typename T>
void AddSegments(ir::Builder& builder, const char* name, const Infos& infos,
                 const phi::ArgList<T>& elements, absl::Span<const int> after,
                 ir::OperationState* state) {
  bool needed = !after.empty();
  for (const auto& info : infos) needed |= info.list || info.optional;
  if (!needed) return;
  std::vector<int> sizes(infos.size());
  for (const auto [argument, slot, element] : elements) {
    if (element) ++sizes[argument];
  }
  sizes.insert(sizes.end(), after.begin(), after.end());
  state->attributes.push_back(
      builder.Named(name, AttrRef(absl::MakeConstSpan(sizes))));
}

// Adds the values that supply attributes as operands; how many there are of
// each attribute that may be supplied, or nothing if there are none at all.
std::vector<int> AddSupplied(const Draft& draft, ir::OperationState* state) {
  std::vector<int> sizes;
  if (draft.supplied.empty()) return sizes;
  for (size_t i = 0; i < draft.info->attrs.size(); ++i) {
    if (!draft.info->attrs[i].supplied) continue;
    sizes.push_back(0);
    for (const SuppliedAttr& supplied : draft.supplied) {
      if (supplied.attr != static_cast<int>(i)) continue;
      sizes.back() = static_cast<int>(supplied.values.size());
      state->operands.insert(state->operands.end(), supplied.values.begin(),
                             supplied.values.end());
    }
  }
  return sizes;
}

ir::Operation* CreateOperation(ir::Builder& builder,
                               const ir::OpDefinition* definition,
                               const Draft& draft) {
  ir::OperationState state;
  state.definition = definition;
  state.operands.reserve(draft.inputs.size());
  for (ir::Value input : draft.inputs) {
    if (input) state.operands.push_back(input);
  }
  const std::vector<int> supplied = AddSupplied(draft, &state);
  state.results.reserve(draft.types.size());
  for (ir::TensorType type : draft.types) {
    if (type) state.results.push_back(type);
  }
  // Those of segments too.
  state.attributes.reserve(draft.attrs.size() + 2);
  for (size_t i = 0; i < draft.attrs.size(); ++i) {
    if (draft.attrs[i].supplied()) continue;
    state.attributes.push_back(
        builder.Named(draft.info->attrs[i].name, draft.attrs[i]));
  }
  AddSegments(builder, ir::kOperandSegments, draft.info->inputs,
              draft.input_list(), supplied, &state);
  AddSegments(builder, ir::kResultSegments, draft.info->outputs,
              draft.wanted_list(), {}, &state);
  return builder.Create(state);
}

// The call of another operator that this one is.
absl::Status WriteOut(ir::Builder& builder, const DialectOp& op,
                      const Draft& draft, std::vector<ir::Value>* results) {
  return RunComposite(builder, op, draft.input_list(), draft.attrs,
                      draft.supplied, draft.wanted_list(), results);
}

// Does everything except naming the operator in errors. The caller removes
// operations that were created before an error.
absl::Status Build(ir::Builder& builder, const DialectOp& op,
                   const ir::OpDefinition* definition,
                   const InputValues& inputs, absl::Span<const AttrRef> attrs,
                   const BuildOpOptions& options, Draft* draft,
                   std::vector<ir::Value>* results) {
  SY_RETURN_IF_ERROR(CheckInputs(*draft));
  SY_RETURN_IF_ERROR(CompleteAttributes(attrs, options.supplied, draft));
  SY_RETURN_IF_ERROR(PlanOutputs(options.wanted, draft));
  if (IsAnothersCall(op)) return WriteOut(builder, op, *draft, results);
  SY_RETURN_IF_ERROR(Promote(builder, draft));
  SY_RETURN_IF_ERROR(InferTypes(builder.context(), draft));
  if (options.inplace) SY_RETURN_IF_ERROR(CheckWritten(inputs, *draft));
  const ir::Operation* operation = CreateOperation(builder, definition, *draft);
  int next = 0;
  for (ir::TensorType type : draft->types) {
    results->push_back(type ? operation->result(next++) : ir::Value());
  }
  return absl::OkStatus();
}

absl::Status NotRegistered(const char* op) {
  return absl::FailedPreconditionError(
      absl::StrCat(op, ": the operator is not registered with the context"));
}

}  // namespace

bool IsAnothersCall(const DialectOp& op) {
  return !op.info->has_infer_meta() && op.composite != nullptr;
}

absl::Status BuildOp(ir::Builder& builder, const DialectOp& op,
                     const InputValues& inputs, absl::Span<const AttrRef> attrs,
                     std::vector<ir::Value>* results,
                     const BuildOpOptions& options) {
  const ir::OpDefinition* definition =
      builder.context()->FindOp(std::string(kOpPrefix).append(op.info->name));
  if (definition == nullptr) return NotRegistered(op.info->name);
  if (options.inplace) {
    definition = InplaceVariantOf(*builder.context(), op);
    if (definition == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          op.info->name, ": the operator has no in-place variant"));
    }
  }
  // The context's record: kernels may have been added since the caller's was
  // made (composed_meta.h).
  const DialectOp& known = *definition->interface<DialectOp>();
  Draft draft;
  draft.info = known.info;
  draft.inputs.assign(inputs.elements().begin(), inputs.elements().end());
  draft.input_segments = inputs.segments();
  const ir::Operation* const before = builder.previous();
  results->clear();
  const absl::Status status = Build(builder, known, definition, inputs, attrs,
                                    options, &draft, results);
  if (status.ok()) return status;
  results->clear();
  while (builder.previous() != before) builder.previous()->Erase();
  return Annotate(status, op.info->name);
}

absl::StatusOr<ir::Value> BuildOp(ir::Builder& builder, const DialectOp& op,
                                  const InputValues& inputs,
                                  absl::Span<const AttrRef> attrs) {
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(BuildOp(builder, op, inputs, attrs, &results));
  return results[0];
}

absl::StatusOr<ir::Value> BuildCast(ir::Builder& builder, ir::Value value,
                                    DataType dtype) {
  if (value.tensor_type().dtype() == dtype) return value;
  const DialectOp* cast = FindOperator(*builder.context(), "cast");
  if (cast == nullptr) return NotRegistered("cast");
  return BuildOp(builder, *cast, {value}, {AttrRef(dtype)});
}

}  // namespace switchyard::static_graph

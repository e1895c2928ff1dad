// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/op_call.h"

#include <optional>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_traits.h"
#include "static_graph/ir/checkpoint_attributes.h"
#include "static_graph/ir/segments.h"

namespace switchyard::phi {
template class ArgBuffer<static_graph::ir::Value>;
}  // namespace switchyard::phi

namespace switchyard::static_graph {

OpCall::OpCall() = default;
OpCall::OpCall(const OpCall&) = default;
OpCall::OpCall(OpCall&&) noexcept = default;
OpCall& OpCall::operator=(const OpCall&) = default;
OpCall& OpCall::operator=(OpCall&&) noexcept = default;
OpCall::~OpCall() = default;

namespace {

std::string Count(int count, std::string_view what) {
  return absl::StrCat(count, " ", absl::string_view(what.data(), what.size()),
                      count == 1 ? "" : "s");
}

// A value of another dialect's type is no argument of an operator.
absl::Status CheckTensor(const char* argument, ir::Value value) {
  if (value.tensor_type()) return absl::OkStatus();
  return TypeError(argument, "a tensor", ir::ToString(value.type()));
}

// Reads the values of the arguments.
absl::Status ReadInputs(const ir::Operation& op, OpCall* call) {
  const absl::Span<const phi::InputInfo> infos = call->op->info->inputs;
  ir::SegmentReader segments = ir::SegmentReader::OfOperands(op);
  const int further = segments.count() - static_cast<int>(infos.size());
  if (further != 0 && (!op.attribute(ir::kOperandSegments) ||
                       further != NumSuppliedAttrs(*call->op->info))) {
    return ArgumentError("operands", Count(infos.size(), "argument"),
                         Count(segments.count(), "argument"));
  }
  // Absent arguments have elements too.
  constexpr int kMax = phi::kMaxArgElements;
  if (op.num_operands() > kMax - static_cast<int>(infos.size())) {
    return ArgumentError("operands",
                         absl::StrCat("at most ", kMax - infos.size()),
                         absl::StrCat(op.num_operands()));
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    const ir::Segment segment = segments.Next();
    if (!infos[i].list && segment.size != 1) {
      if (!infos[i].optional || segment.size != 0) {
        return ArgumentError(infos[i].name, "one tensor",
                             Count(segment.size, "tensor"));
      }
      call->inputs.push_back(ir::Value());
    }
    for (int k = 0; k < segment.size; ++k) {
      const ir::Value operand = op.operand(segment.begin + k);
      SY_RETURN_IF_ERROR(CheckTensor(infos[i].name, operand));
      call->inputs.push_back(operand);
    }
    call->inputs.EndArgument();
  }
  return absl::OkStatus();
}

// Reads the values after the inputs, which supply attributes.
absl::Status ReadSupplied(const ir::Operation& op, OpCall* call) {
  const phi::OpInfo& info = *call->op->info;
  int argument = static_cast<int>(info.inputs.size());
  if (NumSuppliedAttrs(info) == 0 || ir::NumOperandSegments(op) == argument) {
    return absl::OkStatus();
  }
  for (size_t i = 0; i < info.attrs.size(); ++i) {
    if (!info.attrs[i].supplied) continue;
    const ir::Segment segment = ir::OperandSegment(op, argument++);
    if (segment.size == 0) continue;
    if (op.attribute(info.attrs[i].name)) {
      return ArgumentError(info.attrs[i].name,
                           "an attribute or supplied by tensors", "both");
    }
    SuppliedAttr supplied;
    supplied.attr = static_cast<int>(i);
    for (int k = 0; k < segment.size; ++k) {
      supplied.values.push_back(op.operand(segment.begin + k));
    }
    SY_ASSIGN_OR_RETURN(call->elements.emplace_back(),
                        GetElements(info.attrs[i], supplied.values));
    call->supplied.push_back(std::move(supplied));
  }
  return absl::OkStatus();
}

absl::Status ReadOutputs(const ir::Operation& op, OpCall* call) {
  const absl::Span<const phi::OutputInfo> infos = call->op->info->outputs;
  phi::ArgLayout layout;
  SY_RETURN_IF_ERROR(phi::LayOutOutputs(
      *call->op->info, call->inputs.segments(), call->attrs, &layout));
  ir::SegmentReader segments = ir::SegmentReader::OfResults(op);
  if (segments.count() != static_cast<int>(infos.size())) {
    return ArgumentError("results", Count(infos.size(), "output"),
                         Count(segments.count(), "output"));
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    const ir::Segment segment = segments.Next();
    const int size = layout.segments().size(static_cast<int>(i));
    if (segment.size != size && !(infos[i].optional && segment.size == 0)) {
      return ArgumentError(infos[i].name, Count(size, "tensor"),
                           Count(segment.size, "tensor"));
    }
    for (int k = 0; k < size; ++k) {
      call->outputs.push_back(segment.size == 0 ? ir::Value()
                                                : op.result(segment.begin + k));
    }
    call->outputs.EndArgument();
  }
  return absl::OkStatus();
}

// Sets `given`, a place for each attribute of the operator, to the operation's
// attributes, null where it has none. Returns the error of the first that is of
// no kind an operation may have.
absl::Status SortAttributes(const ir::Operation& op, const phi::OpInfo& info,
                            absl::Span<ir::Attribute> given) {
  absl::Status status;
  const bool lowered = op.has<KernelCallTrait>();
  for (const ir::NamedAttribute& attribute : op.attributes()) {
    const std::string_view name = attribute.name.text();
    const int index = info.attr_index(name);
    if (index >= 0) {
      given[index] = attribute.value;
      continue;
    }
    if (!status.ok() || name == ir::kOperandSegments ||
        name == ir::kResultSegments ||
        (lowered ? IsKernelAttribute(name) : ir::IsCheckpointAttribute(name))) {
      continue;
    }
    if (name != kPolicyAttr && (lowered || name != kOpDeviceAttr)) {
      status = ArgumentError(name, "an attribute of the operator",
                             "an unknown name");
    } else if (!attribute.value.As<std::string_view>().has_value()) {
      status = TypeError(name, "str", ToString(attribute.value));
    }
  }
  return status;
}

absl::Status ReadAttributes(const ir::Operation& op, OpCall* call) {
  const phi::OpInfo& info = *call->op->info;
  absl::InlinedVector<ir::Attribute, 16> given(info.attrs.size());
  // The operator's own attributes are read first.
  absl::Status others = SortAttributes(op, info, absl::MakeSpan(given));
  call->attrs.reserve(info.attrs.size());
  size_t next = 0;  // Of those supplied.
  for (const phi::AttrInfo& attr : info.attrs) {
    const int index = static_cast<int>(call->attrs.size());
    if (next < call->supplied.size() && call->supplied[next].attr == index) {
      call->attrs.push_back(
          AttrRef::Supplied(attr.type, call->elements[next++]));
      continue;
    }
    const ir::Attribute attribute = given[index];
    if (!attribute) {
      if (!attr.has_default) {
        return ArgumentError(attr.name, "given", "no such attribute");
      }
      call->attrs.push_back(attr.default_value);
      continue;
    }
    const std::optional<AttrRef> value = attribute.ref();
    if (!value.has_value() || value->type() != attr.type) {
      return TypeError(attr.name, Name(attr.type), ToString(attribute));
    }
    call->attrs.push_back(*value);
  }
  return others;
}

}  // namespace

const DialectOp* FindDialectOp(const ir::Operation& op) {
  return op.interface<DialectOp>();
}

absl::StatusOr<OpCall> ReadArguments(const ir::Operation& op) {
  OpCall call;
  call.op = FindDialectOp(op);
  if (call.op == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(op.name()), " is not a call of an operator"));
  }
  SY_RETURN_IF_ERROR(ReadInputs(op, &call));
  SY_RETURN_IF_ERROR(ReadSupplied(op, &call));
  SY_RETURN_IF_ERROR(ReadAttributes(op, &call));
  return call;
}

absl::StatusOr<OpCall> ReadCall(const ir::Operation& op) {
  SY_ASSIGN_OR_RETURN(OpCall call, ReadArguments(op));
  SY_RETURN_IF_ERROR(ReadOutputs(op, &call));
  return call;
}

}  // namespace switchyard::static_graph

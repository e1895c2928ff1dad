// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/node_forms.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/legacy/forms/legacy_call.h"
#include "phi/onnx/every_operator.h"
#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/translate/onnx/onnx_values.h"

namespace switchyard::static_graph {
namespace {

// The attributes of a node as a form reads them; attributes that the node's
// version lacks are left out. `converted` owns attributes whose values were
// converted.
absl::StatusOr<std::vector<phi::LegacyAttrValue>> AttributesOf(
    const ForeignOperator& op, const phi::LegacyForm& form, bool same_version,
    std::vector<Attribute>* converted) {
  std::vector<phi::LegacyAttrValue> values;
  converted->reserve(op.attrs.size());
  for (const ForeignAttr& attr : op.attrs) {
    if (!phi::ReadsAttribute(form, attr.name)) continue;
    const phi::LegacyAttr* const ours = form.attr(attr.name);
    if (ours == nullptr && !same_version) continue;
    AttrRef value;
    if (ours != nullptr && ours->type == AttrType::kDataType) {
      SY_ASSIGN_OR_RETURN(const DataType dtype, DataTypeOfOnnx(attr.integer()));
      converted->emplace_back(AttrRef(dtype));
      value = converted->back().ref();
    } else {
      SY_ASSIGN_OR_RETURN(value, attr.Value());
    }
    values.push_back({attr.name, value});
  }
  return values;
}

// The inputs by the form's slots, and where each begins.
struct Inputs {
  std::vector<phi::LegacyInput> slots;
  std::vector<size_t> first;
};

Inputs InputsOf(const std::vector<ir::Value>& values,
                const phi::LegacyForm& form) {
  Inputs inputs;
  for (size_t i = 0; i < form.inputs.size() && i < values.size(); ++i) {
    if (!values[i]) continue;
    const size_t count = form.inputs[i].duplicable ? values.size() - i : 1;
    inputs.slots.push_back({form.inputs[i].name, count});
    inputs.first.push_back(i);
  }
  return inputs;
}

// Whether the node has all attributes that the form can't do without.
bool HasAttributes(const OnnxCall& call, const phi::LegacyForm& form) {
  return std::all_of(
      form.attrs.begin(), form.attrs.end(), [&](const phi::LegacyAttr& attr) {
        return attr.attr < 0 || attr.has_default ||
               form.op->attrs[static_cast<size_t>(attr.attr)].has_default ||
               call.HasAttr(attr.name);
      });
}

absl::Status CallForm(OnnxCall& call, const phi::LegacyForm& form,
                      bool same_version,
                      const std::vector<ir::Value>& operands) {
  std::vector<Attribute> converted;
  SY_ASSIGN_OR_RETURN(const std::vector<phi::LegacyAttrValue> given,
                      AttributesOf(call.op(), form, same_version, &converted));
  const Inputs inputs = InputsOf(operands, form);
  SY_ASSIGN_OR_RETURN(const phi::LegacyInputs mapped,
                      phi::MapInputs(form, inputs.slots));
  SY_ASSIGN_OR_RETURN(const std::vector<Attribute> attributes,
                      phi::MapAttributes(form, given, mapped.suppliers));
  OnnxArguments arguments;
  const phi::ArgSegments segments = mapped.tensors.segments();
  for (int i = 0; i < static_cast<int>(form.op->inputs.size()); ++i) {
    std::vector<ir::Value> values;
    for (int at = segments.begin(i); at < segments.end(i); ++at) {
      const phi::LegacyTensor& tensor = mapped.tensors[at];
      values.push_back(
          tensor.input < 0
              ? ir::Value()
              : operands[inputs.first[static_cast<size_t>(tensor.input)] +
                         static_cast<size_t>(tensor.position)]);
    }
    arguments.emplace_back(std::move(values));
  }
  OnnxAttributes named;
  for (size_t i = 0; i < attributes.size(); ++i) {
    const char* const name = form.op->attrs[i].name;
    const int supplier = mapped.suppliers.empty() ? -1 : mapped.suppliers[i];
    if (supplier < 0) {
      named.emplace_back(name, attributes[i].ref());
    } else {
      named.emplace_back(name,
                         operands[inputs.first[static_cast<size_t>(supplier)]]);
    }
  }
  const std::vector<ir::Value> results =
      call.CallAll(form.op->name, arguments, named);
  SY_RETURN_IF_ERROR(call.status());
  for (size_t i = 0; i < form.outputs.size(); ++i) {
    const int argument = form.outputs[i].argument;
    if (argument >= 0) {
      call.Out(static_cast<int>(i), results[static_cast<size_t>(argument)]);
    }
  }
  return call.status();
}

}  // namespace

bool HasOnnxForm(std::string_view domain, std::string_view type,
                 int64_t version) {
  return phi::FindOnnxForm(domain, type, version, {}) != nullptr;
}

bool CallByForm(OnnxCall& call, int64_t version,
                const std::vector<ir::Value>& inputs) {
  std::vector<DataType> dtypes;
  for (const ir::Value value : inputs) {
    // Operators with forms take tensors; sequences have lowerings.
    if (value && value.tensor_type().kind() == TensorKind::kTensorArray) {
      return false;
    }
    dtypes.push_back(DtypeOf(value));
  }
  const ForeignOperator& op = call.op();
  const phi::OnnxForm* const form =
      phi::FindOnnxForm(op.domain, op.type, version, dtypes);
  if (form == nullptr || !HasAttributes(call, form->names)) return false;
  call.Fail(CallForm(call, form->names, version == call.version(), inputs));
  return true;
}

bool CallByForm(OnnxCall& call) {
  const ForeignOperator& op = call.op();
  if (!HasOnnxForm(op.domain, op.type, call.version())) return false;
  std::vector<ir::Value> inputs;
  for (int i = 0; i < call.inputs(); ++i) {
    inputs.push_back(call.Has(i) ? call.In(i) : ir::Value());
  }
  return !call.ok() || CallByForm(call, call.version(), inputs);
}

}  // namespace switchyard::static_graph

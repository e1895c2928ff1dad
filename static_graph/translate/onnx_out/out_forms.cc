// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx_out/out_forms.h"

#include <algorithm>
#include <optional>

#include "framework/types/attribute.h"
#include "phi/onnx/every_operator.h"
#include "static_graph/foreign/onnx/schema_facts.h"
#include "static_graph/translate/onnx_out/node_types.h"

namespace switchyard::static_graph {
namespace {

std::optional<WrittenValue> ValueOf(AttrRef value, AttrType type) {
  switch (type) {
    case AttrType::kFloat:
      if (value.type() == AttrType::kScalar) {
        return static_cast<float>(value.Get<Scalar>().ToDouble());
      }
      return value.Get<float>();
    case AttrType::kBool:
    case AttrType::kInt:
    case AttrType::kInt64:
      return value.Get<int64_t>();
    case AttrType::kDataType:
      return OnnxTypeNumber(value.Get<DataType>());
    case AttrType::kString:
      return std::string(value.Get<std::string_view>());
    case AttrType::kInts:
    case AttrType::kInt64s: {
      Integers numbers;
      if (value.type() == AttrType::kInts) {
        for (const int each : value.Get<absl::Span<const int>>()) {
          numbers.push_back(each);
        }
      } else {
        for (const int64_t each : value.Get<absl::Span<const int64_t>>()) {
          numbers.push_back(each);
        }
      }
      return numbers;
    }
    default:
      return std::nullopt;
  }
}

// The node's attributes; nullopt if the form can't express the call.
std::optional<std::vector<WrittenAttribute>> AttributesOf(
    const OpCall& call, const phi::LegacyForm& form) {
  std::vector<WrittenAttribute> attributes;
  if (!call.supplied.empty()) return std::nullopt;
  const auto& infos = call.op->info->attrs;
  for (size_t i = 0; i < infos.size(); ++i) {
    const auto here = [&](const auto& row) {
      return row.attr == static_cast<int>(i);
    };
    const Attribute given(call.attrs[i]);
    const auto fixed =
        std::find_if(form.constants.begin(), form.constants.end(), here);
    if (fixed != form.constants.end()) {
      if (given == Attribute(fixed->value)) continue;
      return std::nullopt;
    }
    const auto named = std::find_if(form.attrs.begin(), form.attrs.end(), here);
    if (named == form.attrs.end()) {
      if (infos[i].has_default && given == Attribute(infos[i].default_value)) {
        continue;
      }
      return std::nullopt;
    }
    if (!named->values.empty() || named->repeats) return std::nullopt;
    std::optional<WrittenValue> value = ValueOf(call.attrs[i], named->type);
    if (!value.has_value()) return std::nullopt;
    attributes.push_back({named->name, *std::move(value)});
  }
  return attributes;
}

// The node's inputs; nullopt where one of the call has no slot.
std::optional<std::vector<OnnxName>> InputsOf(OutCall& call,
                                              const phi::LegacyForm& form) {
  const auto& infos = call.call().op->info->inputs;
  size_t found = 0;
  std::vector<OnnxName> inputs;
  for (const phi::LegacySlot& slot : form.inputs) {
    if (slot.argument < 0) {
      inputs.emplace_back();
      continue;
    }
    const auto& info = infos[static_cast<size_t>(slot.argument)];
    if (info.list) {
      for (OnnxName& name : call.List(info.name)) {
        inputs.push_back(std::move(name));
      }
    } else {
      inputs.push_back(call.In(info.name));
    }
    ++found;
  }
  if (found != infos.size()) return std::nullopt;
  return inputs;
}

// Whether the schema of the opset takes the dtypes of the call's inputs.
bool TakesDtypes(const OutCall& written, const phi::OnnxForm& form) {
  const OpCall& call = written.call();
  const OnnxSchema* const schema =
      FindOnnxSchema("", form.names.type, written.opset());
  if (schema == nullptr) return false;
  for (size_t i = 0; i < form.names.inputs.size(); ++i) {
    const int argument = form.names.inputs[i].argument;
    if (argument < 0 || i >= schema->inputs.size()) continue;
    for (const ir::Value value : call.inputs.list(argument)) {
      if (!value) continue;
      const char letter =
          OnnxLetterOf(written.NodeDtype(value.tensor_type().dtype()));
      if (schema->inputs[i].dtypes.find(letter) == std::string_view::npos) {
        return false;
      }
    }
  }
  return true;
}

bool WriteBy(OutCall& call, const phi::OnnxForm& form) {
  const OpCall& read = call.call();
  if (!TakesDtypes(call, form)) return false;
  const auto attributes = AttributesOf(read, form.names);
  const auto inputs = InputsOf(call, form.names);
  if (!attributes.has_value() || !inputs.has_value()) return false;
  const auto& infos = read.op->info->outputs;
  std::vector<bool> made(infos.size(), false);
  for (const phi::LegacySlot& slot : form.names.outputs) {
    if (slot.argument >= 0) made[static_cast<size_t>(slot.argument)] = true;
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!made[i] && call.Wants(infos[i].name)) return false;
  }
  const std::vector<OnnxName> outputs = call.Nodes(
      form.names.type, *inputs, form.names.outputs.size(), *attributes);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const int argument = form.names.outputs[i].argument;
    if (argument >= 0) {
      call.Out(infos[static_cast<size_t>(argument)].name, outputs[i]);
    }
  }
  return true;
}

std::vector<const OutForm*> Sorted() {
  std::vector<const OutForm*> forms;
  for (const absl::Span<const OutForm> family :
       {UnaryOutForms(),         BinaryOutForms(),       ActivationOutForms(),
        ReductionOutForms(),     MatrixOutForms(),       ShapeOutForms(),
        ArrangementOutForms(),   SliceOutForms(),        IndexOutForms(),
        CreationOutForms(),      ConvolutionOutForms(),  PoolingOutForms(),
        NormalizationOutForms(), ResizeOutForms(),       RecurrentOutForms(),
        LossOutForms(),          QuantizationOutForms(), SequenceOutForms(),
        DetectionOutForms(),     PriorOutForms(),        LodOutForms(),
        LodRecurrentOutForms()}) {
    for (const OutForm& form : family) forms.push_back(&form);
  }
  std::sort(forms.begin(), forms.end(), [](const OutForm* a, const OutForm* b) {
    return a->name < b->name;
  });
  return forms;
}

}  // namespace

std::vector<const OutForm*> AllOutForms() {
  static const auto* const kForms = new std::vector<const OutForm*>(Sorted());
  return *kForms;
}

const OutForm* FindOutForm(std::string_view name) {
  static const auto* const kForms = new std::vector<const OutForm*>(Sorted());
  const auto found =
      std::lower_bound(kForms->begin(), kForms->end(), name,
                       [](const OutForm* form, std::string_view word) {
                         return form->name < word;
                       });
  return found != kForms->end() && (*found)->name == name ? *found : nullptr;
}

bool WriteByForm(OutCall& call) {
  for (const phi::OnnxForm& form : phi::OnnxFormsOfOp(*call.call().op->info)) {
    if (form.domain[0] != '\0' || !form.IsFor(call.opset())) continue;
    if (WriteBy(call, form)) return true;
  }
  return false;
}

}  // namespace switchyard::static_graph

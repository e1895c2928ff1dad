// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx_out/node_types.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <variant>

#include "absl/strings/str_cat.h"
#include "static_graph/foreign/onnx/element_type.h"

namespace switchyard::static_graph {
namespace {

struct Letter {
  DataType dtype;
  char letter;
};

constexpr Letter kLetters[] = {
    {DataType::kFloat32, 'f'},    {DataType::kFloat64, 'd'},
    {DataType::kFloat16, 'h'},    {DataType::kBFloat16, 'b'},
    {DataType::kInt8, '1'},       {DataType::kInt16, '2'},
    {DataType::kInt32, '4'},      {DataType::kInt64, '8'},
    {DataType::kUInt8, 'u'},      {DataType::kUInt16, 'v'},
    {DataType::kUInt32, 'w'},     {DataType::kUInt64, 'x'},
    {DataType::kBool, 't'},       {DataType::kComplex64, 'c'},
    {DataType::kComplex128, 'z'},
};

// The schema's port of an input or output; null if it has none.
const OnnxSchemaPort* PortAt(const std::vector<OnnxSchemaPort>& ports,
                             size_t at) {
  if (at < ports.size()) return &ports[at];
  return !ports.empty() && ports.back().repeats ? &ports.back() : nullptr;
}

bool HasGraph(const WrittenAttribute& attribute) {
  return std::holds_alternative<std::shared_ptr<WrittenGraph>>(attribute.value);
}

// The dtype that an attribute says.
DataType NamedDtype(const std::vector<WrittenAttribute>& attributes) {
  for (const WrittenAttribute& attribute : attributes) {
    if (attribute.name != "to" && attribute.name != "dtype" &&
        attribute.name != "output_dtype") {
      continue;
    }
    const auto* const number = std::get_if<int64_t>(&attribute.value);
    if (number == nullptr) continue;
    const absl::StatusOr<DataType> dtype = DataTypeOfOnnx(*number);
    if (dtype.ok()) return *dtype;
  }
  return DataType::kUndefined;
}

}  // namespace

char OnnxLetterOf(DataType dtype) {
  for (const Letter& row : kLetters) {
    if (row.dtype == dtype) return row.letter;
  }
  return IsStorage(dtype) ? 'q' : '\0';
}

std::string DtypeProblem(const OnnxSchema& schema,
                         const std::vector<DataType>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const OnnxSchemaPort* const port = PortAt(schema.inputs, i);
    if (port == nullptr || inputs[i] == DataType::kUndefined) continue;
    if (port->dtypes.find(OnnxLetterOf(inputs[i])) == std::string_view::npos) {
      return absl::StrCat(std::string(schema.name), " takes no ",
                          std::string(Name(inputs[i])));
    }
  }
  return "";
}

DataType OutputDtype(const OnnxSchema& schema,
                     const std::vector<DataType>& inputs,
                     const std::vector<WrittenAttribute>& attributes,
                     size_t output) {
  const OnnxSchemaPort* const port = PortAt(schema.outputs, output);
  if (port == nullptr || port->dtypes == "-" ||
      std::any_of(attributes.begin(), attributes.end(), HasGraph)) {
    return DataType::kUndefined;
  }
  if (port->dtypes.size() == 1) {
    for (const Letter& row : kLetters) {
      if (row.letter == port->dtypes[0]) return row.dtype;
    }
  }
  const DataType named = NamedDtype(attributes);
  if (named != DataType::kUndefined) return named;
  // An output is of the same type variable as the first input that may be of
  // the same dtypes.
  for (size_t i = 0; i < inputs.size(); ++i) {
    const OnnxSchemaPort* const input = PortAt(schema.inputs, i);
    if (input != nullptr && input->dtypes == port->dtypes) return inputs[i];
  }
  return DataType::kUndefined;
}

}  // namespace switchyard::static_graph

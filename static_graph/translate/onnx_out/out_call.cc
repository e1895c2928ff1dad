// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx_out/out_call.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/types/float16.h"
#include "static_graph/foreign/onnx/element_type.h"
#include "static_graph/foreign/onnx/schema_facts.h"
#include "static_graph/translate/onnx_out/node_types.h"
#include "static_graph/translate/onnx_out/out_nodes.h"

namespace switchyard::static_graph {
namespace {

template <typename T>
void Append(T number, std::string* bytes) {
  const size_t old = bytes->size();
  bytes->resize(old + sizeof(number));
  std::memcpy(bytes->data() + old, &number, sizeof(number));
}

}  // namespace

int64_t OnnxTypeNumber(DataType dtype) {
  const absl::StatusOr<int64_t> number = OnnxTypeOf(dtype);
  return number.ok() ? *number : 0;
}

std::string BytesOf(const Scalar& number, DataType dtype) {
  std::string bytes;
  switch (dtype) {
#define SY_DATA_TYPE(enumerator, name, type, size) \
  case DataType::enumerator:                       \
    Append(number.to<type>(), &bytes);             \
    break;
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
    default:
      break;
  }
  return bytes;
}

std::string BytesOf(const Integers& numbers) {
  std::string bytes;
  for (const int64_t number : numbers) Append(number, &bytes);
  return bytes;
}

DataType OutCall::NodeDtype(DataType dtype) const {
  if (!wide_ || (!IsStorage(dtype) && dtype != DataType::kBFloat16)) {
    return dtype;
  }
  switch (dtype) {
    case DataType::kInt4:
    case DataType::kInt2:
      return DataType::kInt8;
    case DataType::kUInt4:
    case DataType::kUInt2:
      return DataType::kUInt8;
    default:
      return DataType::kFloat32;
  }
}

OnnxName OutCall::NameOf(ir::Value value) {
  const OnnxName* const name = out_.NameOf(value);
  if (name == nullptr) {
    Refuse("an input of it is not in the graph");
    return "";
  }
  const DataType dtype = value.tensor_type().dtype();
  const DataType wide = NodeDtype(dtype);
  return wide == dtype ? *name : Cast(*this, *name, wide);
}

void OutCall::Bind(ir::Value value, const OnnxName& name) {
  const DataType dtype = value.tensor_type().dtype();
  const bool narrow = NodeDtype(dtype) != dtype;
  const OnnxName last = narrow ? Cast(*this, name, dtype) : name;
  const DataType made = out_.DtypeOf(last);
  if (made != DataType::kUndefined && made != dtype) {
    return Refuse(absl::StrCat("ONNX gives ", std::string(Name(made)), " for ",
                               std::string(Name(dtype))));
  }
  out_.Bind(value, last);
}

OnnxName OutCall::In(std::string_view input) {
  const ir::Value value = Value(input);
  return value ? NameOf(value) : "";
}

std::vector<OnnxName> OutCall::List(std::string_view input) {
  std::vector<OnnxName> names;
  for (const ir::Value value : Values(input)) {
    names.push_back(NameOf(value));
  }
  return names;
}

OnnxName OutCall::IntTensor(std::string_view attr) {
  if (Known(attr)) return IntList(Ints(attr));
  const SuppliedAttr* const supplied = Supplied(attr);
  if (supplied == nullptr) return "";
  std::vector<OnnxName> parts;
  for (const ir::Value value : supplied->values) {
    OnnxName part = NameOf(value);
    if (value.tensor_type().dtype() != DataType::kInt64) {
      part = Cast(*this, part, DataType::kInt64);
    }
    if (value.tensor_type().shape().rank() != 1)
      part = Reshape(*this, part, {-1});
    parts.push_back(part);
  }
  if (parts.size() == 1) return parts[0];
  return Node("Concat", parts, {{"axis", int64_t{0}}});
}

OnnxName OutCall::NumberTensor(std::string_view attr, DataType dtype) {
  if (Known(attr)) return Scalar0(Number(attr), dtype);
  const SuppliedAttr* const supplied = Supplied(attr);
  if (supplied == nullptr || supplied->values.size() != 1) return "";
  const ir::TensorType type = supplied->values[0].tensor_type();
  OnnxName number = NameOf(supplied->values[0]);
  if (type.shape().rank() != 0) {
    number = Node("Reshape", {number, IntList({})});
  }
  return type.dtype() == dtype ? number : Cast(*this, number, dtype);
}

OnnxName OutCall::IntList(const Integers& numbers) {
  return out_.Constant(DataType::kInt64, {static_cast<int64_t>(numbers.size())},
                       BytesOf(numbers));
}

OnnxName OutCall::FloatList(const std::vector<double>& numbers) {
  std::string bytes;
  for (const double number : numbers) {
    Append(static_cast<float>(number), &bytes);
  }
  return out_.Constant(DataType::kFloat32,
                       {static_cast<int64_t>(numbers.size())},
                       std::move(bytes));
}

OnnxName OutCall::Scalar0(const Scalar& number, DataType dtype) {
  if (IsStorage(dtype)) Refuse("a number of a storage type");
  return out_.Constant(dtype, {}, BytesOf(number, dtype));
}

std::vector<OnnxName> OutCall::Nodes(std::string_view type,
                                     std::vector<OnnxName> inputs, size_t count,
                                     std::vector<WrittenAttribute> attributes) {
  const OnnxSchema* const schema = FindOnnxSchema("", type, opset());
  if (schema == nullptr) {
    Refuse(absl::StrCat("opset ", opset(), " has no ", std::string(type)));
    return out_.Add(type, std::move(inputs), count, std::move(attributes));
  }
  std::vector<DataType> dtypes;
  for (const OnnxName& name : inputs) dtypes.push_back(out_.DtypeOf(name));
  std::string problem = DtypeProblem(*schema, dtypes);
  if (!problem.empty()) Refuse(std::move(problem));
  std::vector<DataType> made;
  for (size_t i = 0; i < count; ++i) {
    made.push_back(OutputDtype(*schema, dtypes, attributes, i));
  }
  std::vector<OnnxName> names =
      out_.Add(type, std::move(inputs), count, std::move(attributes));
  for (size_t i = 0; i < count; ++i) out_.SetDtype(names[i], made[i]);
  return names;
}

OnnxName OutCall::Node(std::string_view type, std::vector<OnnxName> inputs,
                       std::vector<WrittenAttribute> attributes) {
  return Nodes(type, std::move(inputs), 1, std::move(attributes))[0];
}

std::shared_ptr<WrittenGraph> OutCall::Graph(
    std::vector<WrittenPort> inputs, std::vector<WrittenPort> outputs,
    const std::function<std::vector<OnnxName>()>& write) {
  auto graph = std::make_shared<WrittenGraph>();
  graph->name = "branch";
  graph->inputs = std::move(inputs);
  WrittenGraph* const outer = out_.Enter(graph.get());
  for (const WrittenPort& port : graph->inputs) {
    if (!port.sequence) out_.SetDtype(port.name, port.dtype);
  }
  const std::vector<OnnxName> made = write();
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].name = made[i];
    graph->outputs.push_back(std::move(outputs[i]));
  }
  out_.Enter(outer);
  return graph;
}

void OutCall::Out(std::string_view output, const OnnxName& name) {
  const ir::Value value = Result(output);
  if (ok() && value) Bind(value, name);
}

void OutCall::OutList(std::string_view output,
                      const std::vector<OnnxName>& names) {
  const absl::Span<const ir::Value> values = Results(output);
  if (!ok()) return;
  for (size_t i = 0; i < values.size() && i < names.size(); ++i) {
    if (values[i]) Bind(values[i], names[i]);
  }
}

}  // namespace switchyard::static_graph

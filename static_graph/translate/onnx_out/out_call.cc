// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx_out/out_call.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/types/float16.h"
#include "static_graph/foreign/onnx/element_type.h"

namespace switchyard::static_graph {
namespace {

// The position of the named member in a list of an OpInfo; -1: none.
template <typename Infos>
int IndexOf(const Infos& infos, std::string_view name) {
  for (size_t i = 0; i < infos.size(); ++i) {
    if (name == infos[i].name) return static_cast<int>(i);
  }
  return -1;
}

template <typename T>
void Append(T number, std::string* bytes) {
  const size_t old = bytes->size();
  bytes->resize(old + sizeof(number));
  std::memcpy(bytes->data() + old, &number, sizeof(number));
}

const Shape kNoAxes;

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

void OutCall::Refuse(std::string reason) {
  if (ok()) refusal_ = std::move(reason);
}

int OutCall::InputIndex(std::string_view input) {
  const int index = IndexOf(call_.op->info->inputs, input);
  if (index < 0) Refuse(absl::StrCat("it has no input ", std::string(input)));
  return index;
}

int OutCall::AttrIndex(std::string_view attr) {
  const int index = IndexOf(call_.op->info->attrs, attr);
  if (index < 0)
    Refuse(absl::StrCat("it has no attribute ", std::string(attr)));
  return index;
}

int OutCall::OutputIndex(std::string_view output) {
  const int index = IndexOf(call_.op->info->outputs, output);
  if (index < 0) Refuse(absl::StrCat("it has no output ", std::string(output)));
  return index;
}

bool OutCall::Has(std::string_view input) { return bool(Value(input)); }

ir::Value OutCall::Value(std::string_view input) {
  const int index = InputIndex(input);
  return index < 0 ? ir::Value() : call_.inputs.one(index);
}

OnnxName OutCall::NameOf(ir::Value value) {
  const OnnxName* const name = out_.NameOf(value);
  if (name != nullptr) return *name;
  Refuse("an input of it is not in the graph");
  return "";
}

OnnxName OutCall::In(std::string_view input) {
  const ir::Value value = Value(input);
  return value ? NameOf(value) : "";
}

std::vector<OnnxName> OutCall::List(std::string_view input) {
  std::vector<OnnxName> names;
  const int index = InputIndex(input);
  if (index < 0) return names;
  for (const ir::Value value : call_.inputs.list(index)) {
    names.push_back(NameOf(value));
  }
  return names;
}

const Shape& OutCall::ShapeOf(std::string_view input) {
  const ir::Value value = Value(input);
  return value ? value.tensor_type().shape() : kNoAxes;
}

DataType OutCall::Dtype(std::string_view input) {
  const ir::Value value = Value(input);
  return value ? value.tensor_type().dtype() : DataType::kUndefined;
}

int64_t OutCall::Extent(std::string_view input, int axis) {
  const Shape& shape = ShapeOf(input);
  const Dim dim = axis < shape.rank() ? shape[axis] : Dim();
  if (dim.known()) return dim.value();
  Refuse(absl::StrCat("the extent of axis ", axis, " of ", std::string(input),
                      " must be known"));
  return 1;
}

const SuppliedAttr* OutCall::Supplied(std::string_view attr) {
  const int index = AttrIndex(attr);
  for (const SuppliedAttr& supplied : call_.supplied) {
    if (supplied.attr == index) return &supplied;
  }
  return nullptr;
}

bool OutCall::Known(std::string_view attr) {
  const int index = AttrIndex(attr);
  if (index < 0) return false;
  const AttrRef value = call_.attrs[static_cast<size_t>(index)];
  if (!value.supplied()) return true;
  if (value.type() == AttrType::kInt64s) return value.Get<AttrValues>().known();
  return value.type() != AttrType::kScalar && value.Get<AttrValue>().known();
}

AttrRef OutCall::Attr(std::string_view attr) {
  static constexpr int64_t kNone = 0;
  const int index = AttrIndex(attr);
  if (index < 0) return kNone;
  if (!Known(attr)) {
    Refuse(absl::StrCat(std::string(attr),
                        " is known only when the program runs"));
    return kNone;
  }
  return call_.attrs[static_cast<size_t>(index)];
}

int64_t OutCall::Int(std::string_view attr) {
  const AttrRef value = Attr(attr);
  return value.supplied() ? value.Get<AttrValue>().value()
                          : value.Get<int64_t>();
}

Scalar OutCall::Number(std::string_view attr) {
  const AttrRef value = Attr(attr);
  if (value.type() == AttrType::kScalar) return value.Get<Scalar>();
  if (value.type() == AttrType::kDouble || value.type() == AttrType::kFloat) {
    return value.Get<double>();
  }
  return value.supplied() ? value.Get<AttrValue>().value()
                          : value.Get<int64_t>();
}

double OutCall::Float(std::string_view attr) { return Number(attr).ToDouble(); }

bool OutCall::Flag(std::string_view attr) { return Attr(attr).Get<bool>(); }

std::string_view OutCall::Text(std::string_view attr) {
  const AttrRef value = Attr(attr);
  return value.type() == AttrType::kString ? value.Get<std::string_view>() : "";
}

DataType OutCall::Type(std::string_view attr) {
  return Attr(attr).Get<DataType>();
}

Integers OutCall::Ints(std::string_view attr) {
  const AttrRef value = Attr(attr);
  Integers numbers;
  if (value.type() == AttrType::kInts) {
    for (const int each : value.Get<absl::Span<const int>>()) {
      numbers.push_back(each);
    }
  } else if (value.type() == AttrType::kInt64s) {
    const auto values = value.Get<AttrValues>();
    for (size_t i = 0; i < values.size(); ++i) {
      numbers.push_back(values[i].value());
    }
  }
  return numbers;
}

std::vector<double> OutCall::Floats(std::string_view attr) {
  const AttrRef value = Attr(attr);
  std::vector<double> numbers;
  if (value.supplied()) {
    Refuse(absl::StrCat(std::string(attr),
                        " is known only when the program runs"));
  } else if (value.type() == AttrType::kFloats) {
    for (const float each : value.Get<absl::Span<const float>>()) {
      numbers.push_back(static_cast<double>(each));
    }
  } else if (value.type() == AttrType::kScalars) {
    for (const Scalar& each : value.Get<absl::Span<const Scalar>>()) {
      numbers.push_back(each.ToDouble());
    }
  }
  return numbers;
}

OnnxName OutCall::IntTensor(std::string_view attr) {
  if (Known(attr)) return IntList(Ints(attr));
  const SuppliedAttr* const supplied = Supplied(attr);
  if (supplied == nullptr) return "";
  std::vector<OnnxName> parts;
  for (const ir::Value value : supplied->values) {
    OnnxName part = NameOf(value);
    if (value.tensor_type().dtype() != DataType::kInt64) {
      part = Cast(part, DataType::kInt64);
    }
    if (value.tensor_type().shape().rank() != 1) part = Reshape(part, {-1});
    parts.push_back(part);
  }
  if (parts.size() == 1) return parts[0];
  return Node("Concat", parts, {{"axis", int64_t{0}}});
}

OnnxName OutCall::NumberTensor(std::string_view attr, DataType dtype) {
  if (Known(attr)) {
    return out_.Constant(dtype, {}, BytesOf(Number(attr), dtype));
  }
  const SuppliedAttr* const supplied = Supplied(attr);
  if (supplied == nullptr || supplied->values.size() != 1) return "";
  const ir::TensorType type = supplied->values[0].tensor_type();
  OnnxName number = NameOf(supplied->values[0]);
  if (type.shape().rank() != 0) {
    number = Node("Reshape", {number, IntList({})});
  }
  return type.dtype() == dtype ? number : Cast(number, dtype);
}

int64_t OutCall::Axis(std::string_view attr, int rank) {
  const int64_t axis = Int(attr);
  return axis < 0 ? axis + rank : axis;
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

OnnxName OutCall::Scalar0(double number, DataType dtype) {
  return out_.Constant(dtype, {}, BytesOf(Scalar(number), dtype));
}

bool OutCall::Wants(std::string_view output) {
  const int index = OutputIndex(output);
  if (index < 0) return false;
  const absl::Span<const ir::Value> values = call_.outputs.list(index);
  return std::any_of(values.begin(), values.end(),
                     [](ir::Value value) { return value && value.has_uses(); });
}

const Shape& OutCall::OutShape(std::string_view output) {
  const int index = OutputIndex(output);
  const ir::Value value = index < 0 ? ir::Value() : call_.outputs.one(index);
  return value ? value.tensor_type().shape() : kNoAxes;
}

DataType OutCall::OutDtype(std::string_view output) {
  const int index = OutputIndex(output);
  const ir::Value value = index < 0 ? ir::Value() : call_.outputs.one(index);
  return value ? value.tensor_type().dtype() : DataType::kUndefined;
}

void OutCall::Out(std::string_view output, const OnnxName& name) {
  const int index = OutputIndex(output);
  if (!ok() || index < 0) return;
  const ir::Value value = call_.outputs.one(index);
  if (value) out_.Bind(value, name);
}

void OutCall::OutList(std::string_view output,
                      const std::vector<OnnxName>& names) {
  const int index = OutputIndex(output);
  if (!ok() || index < 0) return;
  const absl::Span<const ir::Value> values = call_.outputs.list(index);
  for (size_t i = 0; i < values.size() && i < names.size(); ++i) {
    if (values[i]) out_.Bind(values[i], names[i]);
  }
}

}  // namespace switchyard::static_graph

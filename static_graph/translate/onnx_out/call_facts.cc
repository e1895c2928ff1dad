// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx_out/call_facts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {

const Shape& CallFacts::ShapeOf(ir::Value value) {
  static const Shape none;
  return value ? value.tensor_type().shape() : none;
}

// The position of the named member in a list of the OpInfo; -1, and a refusal:
// none.
template <typename Infos>
int CallFacts::Index(const Infos& infos, const char* kind,
                     std::string_view name) {
  for (size_t i = 0; i < infos.size(); ++i) {
    if (name == infos[i].name) return static_cast<int>(i);
  }
  Refuse(absl::StrCat("it has no ", kind, " ", std::string(name)));
  return -1;
}

absl::Span<const ir::Value> CallFacts::Values(std::string_view input) {
  const int index = Index(call_.op->info->inputs, "input", input);
  if (index < 0) return {};
  return call_.inputs.list(index);
}

int64_t CallFacts::Extent(std::string_view input, int axis) {
  const Shape& shape = ShapeOf(input);
  const Dim dim = axis < shape.rank() ? shape[axis] : Dim();
  if (dim.known()) return dim.value();
  Refuse(absl::StrCat("the extent of axis ", axis, " of ", std::string(input),
                      " must be known"));
  return 1;
}

const SuppliedAttr* CallFacts::Supplied(std::string_view attr) {
  const int index = Index(call_.op->info->attrs, "attribute", attr);
  for (const SuppliedAttr& supplied : call_.supplied) {
    if (supplied.attr == index) return &supplied;
  }
  return nullptr;
}

bool CallFacts::Known(std::string_view attr) {
  const int index = Index(call_.op->info->attrs, "attribute", attr);
  if (index < 0) return false;
  const AttrRef value = call_.attrs[static_cast<size_t>(index)];
  if (!value.supplied()) return true;
  if (value.type() == AttrType::kInt64s) return value.Get<AttrValues>().known();
  return value.type() != AttrType::kScalar && value.Get<AttrValue>().known();
}

AttrRef CallFacts::Attr(std::string_view attr) {
  static constexpr int64_t kNone = 0;
  const int index = Index(call_.op->info->attrs, "attribute", attr);
  if (index < 0) return kNone;
  if (!Known(attr)) {
    Refuse(absl::StrCat(std::string(attr),
                        " is known only when the program runs"));
    return kNone;
  }
  return call_.attrs[static_cast<size_t>(index)];
}

int64_t CallFacts::Int(std::string_view attr) {
  const AttrRef value = Attr(attr);
  return value.supplied() ? value.Get<AttrValue>().value()
                          : value.Get<int64_t>();
}

Scalar CallFacts::Number(std::string_view attr) {
  const AttrRef value = Attr(attr);
  if (value.type() == AttrType::kScalar) return value.Get<Scalar>();
  if (value.type() == AttrType::kDouble || value.type() == AttrType::kFloat) {
    return value.Get<double>();
  }
  return value.supplied() ? value.Get<AttrValue>().value()
                          : value.Get<int64_t>();
}

std::string_view CallFacts::Text(std::string_view attr) {
  const AttrRef value = Attr(attr);
  return value.type() == AttrType::kString ? value.Get<std::string_view>() : "";
}

Integers CallFacts::Ints(std::string_view attr) {
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

std::vector<double> CallFacts::Floats(std::string_view attr) {
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

int64_t CallFacts::Axis(std::string_view attr, int rank) {
  const int64_t axis = Int(attr);
  return axis < 0 ? axis + rank : axis;
}

absl::Span<const ir::Value> CallFacts::Results(std::string_view output) {
  const int index = Index(call_.op->info->outputs, "output", output);
  if (index < 0) return {};
  return call_.outputs.list(index);
}

bool CallFacts::Wants(std::string_view output) {
  const absl::Span<const ir::Value> values = Results(output);
  return std::any_of(values.begin(), values.end(),
                     [](ir::Value value) { return value && value.has_uses(); });
}

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/conditions.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/device/device_info.h"
#include "phi/core/short_text.h"
#include "phi/selection/alternatives.h"
#include "phi/selection/shape_counts.h"

namespace switchyard::phi::selection {
namespace {

using Kind = Condition::Kind;

Tristate Decide(bool holds) {
  return holds ? Tristate::kTrue : Tristate::kFalse;
}

const TensorMeta* FindTensor(int argument, const Query& query) {
  const ArgSegments& segments = query.inputs.segments();
  const int slot = segments.begin(argument);
  return slot < segments.end(argument) ? query.inputs[slot] : nullptr;
}

// The value of an attribute that counts or enumerates; nullopt for others.
std::optional<int64_t> IntegerOf(AttrRef attr) {
  switch (attr.type()) {
    case AttrType::kBool:
      return attr.Get<bool>();
    case AttrType::kInt:
    case AttrType::kInt64:
      return attr.Get<int64_t>();
    case AttrType::kDataType:
      return static_cast<int64_t>(attr.Get<DataType>());
    case AttrType::kPostOps:
      return attr.Get<PostOps>().number();
    case AttrType::kScalar: {
      const Scalar& scalar = attr.Get<const Scalar&>();
      if (scalar.is_float() || scalar.is_complex()) return std::nullopt;
      return scalar.ToInt64();
    }
    default:
      return std::nullopt;
  }
}

// Returns whether the attribute equals `value`; a text is shortened by
// ShortText.
bool HasValue(AttrRef attr, int64_t value) {
  if (attr.type() == AttrType::kString) {
    return attr.Get<std::string_view>() == MakeShortText(value);
  }
  return IntegerOf(attr) == value;
}

// `value` as an attribute of the type of `like` is written: true, not 1.
std::string ValueText(AttrRef like, int64_t value) {
  switch (like.type()) {
    case AttrType::kString:
      return ToString(AttrRef(MakeShortText(value)));
    case AttrType::kBool:
      return ToString(AttrRef(value != 0));
    case AttrType::kDataType:
      return ToString(AttrRef(static_cast<DataType>(value)));
    case AttrType::kPostOps:
      return ToString(AttrRef(PostOps::OfNumber(value)));
    default:
      return ToString(AttrRef(value));
  }
}

Tristate AtLeast(std::optional<int64_t> got, int64_t value) {
  return got.has_value() ? Decide(*got >= value) : Tristate::kUndecided;
}

Tristate AtMost(std::optional<int64_t> got, int64_t value) {
  return got.has_value() ? Decide(*got <= value) : Tristate::kUndecided;
}

// Whether two shapes are one, whatever their unknown extents are: an extent
// that has the same symbol in both is the same.
Tristate EvaluateSameShape(const Shape& shape, const Shape& other) {
  if (shape.rank() != other.rank()) return Tristate::kFalse;
  Tristate truth = Tristate::kTrue;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const Dim a = shape[axis], b = other[axis];
    if (!MayEqual(a, b)) return Tristate::kFalse;
    const bool equal = a == b && (a.known() || a.symbolic());
    if (!equal) truth = Tristate::kUndecided;
  }
  return truth;
}

Tristate EvaluateDevice(const Condition& condition, Place place) {
  const DeviceInfo* const device = FindDevice(place.type);
  return Decide(device->property(place.index, condition.axis) >=
                condition.value);
}

Tristate EvaluateExtent(const Condition& condition, const Shape& shape) {
  const int axis = FindAxis(condition.axis, shape.rank());
  if (axis < 0) return Tristate::kFalse;
  if (!shape[axis].known()) return Tristate::kUndecided;
  const int64_t extent = shape.extent(axis);
  return Decide(condition.kind == Kind::kExtentAtLeast
                    ? extent >= condition.value
                    : extent <= condition.value);
}

// Conditions on a tensor, which is there.
Tristate EvaluateTensor(const Condition& condition, const TensorMeta& tensor,
                        const Query& query) {
  const Shape& shape = tensor.shape;
  switch (condition.kind) {
    case Kind::kRankAtLeast:
      return Decide(shape.rank() >= condition.value);
    case Kind::kRankAtMost:
      return Decide(shape.rank() <= condition.value);
    case Kind::kItemElementsAtLeast:
      return AtLeast(GetCount(shape, 1), condition.value);
    case Kind::kElementsAtMost:
      return AtMost(GetCount(shape), condition.value);
    case Kind::kExtentAtLeast:
    case Kind::kExtentAtMost:
      return EvaluateExtent(condition, shape);
    case Kind::kContiguous:
      // A view without known extents may have no gaps after all.
      if (!tensor.contiguous && !shape.known()) return Tristate::kUndecided;
      return Decide(tensor.contiguous);
    case Kind::kWorkAtLeast: {
      const TensorMeta* other = FindTensor(condition.axis, query);
      if (other == nullptr) return Tristate::kFalse;
      return AtLeast(WorkOf(shape, other->shape), condition.value);
    }
    case Kind::kSameShape: {
      const TensorMeta* other = FindTensor(condition.axis, query);
      if (other == nullptr) return Tristate::kFalse;
      return EvaluateSameShape(shape, other->shape);
    }
    case Kind::kAttrEquals:
    case Kind::kPostOpsAmong:
    case Kind::kDeviceAtLeast:
    case Kind::kAnyOf:
      break;  // Not on a tensor.
  }
  return Tristate::kFalse;
}

// Conditions on an attribute.
Tristate EvaluateAttr(const Condition& condition, AttrRef attr) {
  if (attr.supplied()) return Tristate::kUndecided;
  if (condition.kind == Kind::kAttrEquals) {
    return Decide(HasValue(attr, condition.value));
  }
  const absl::Span<const PostOp> steps = attr.Get<PostOps>().steps();
  const auto kinds =
      PostOpKinds::OfBits(static_cast<uint32_t>(condition.value));
  bool among = steps.size() <= static_cast<size_t>(condition.axis);
  for (const PostOp& step : steps) among &= kinds.contains(step.kind);
  return Decide(among);
}

bool IsOnAttr(const Condition& condition) {
  return condition.kind == Kind::kAttrEquals ||
         condition.kind == Kind::kPostOpsAmong;
}

// ---- Mismatches: cold ----

std::string InputName(int argument, const Query& query) {
  return query.op->inputs[argument].name;
}

std::string ShapeText(int argument, const Query& query) {
  const TensorMeta* tensor = FindTensor(argument, query);
  return tensor == nullptr ? "none" : ToString(tensor->shape);
}

// Returns the number, or the shape that leaves it unknown.
std::string CountText(std::optional<int64_t> count, int argument,
                      const Query& query) {
  return count.has_value() ? absl::StrCat(*count) : ShapeText(argument, query);
}

Mismatch DescribeExtent(const Condition& condition, const Query& query,
                        const Shape& shape) {
  const char* words =
      condition.kind == Kind::kExtentAtLeast ? "at least " : "at most ";
  const int axis = FindAxis(condition.axis, shape.rank());
  return {
      absl::StrCat("extent(", InputName(condition.input, query), ", ",
                   static_cast<int>(condition.axis), ")"),
      absl::StrCat(words, condition.value),
      axis < 0 ? absl::StrCat("rank ", shape.rank()) : ToString(shape[axis])};
}

// Describes a condition that depends on the tensor's shape alone.
Mismatch DescribeTensor(const Condition& condition, const Query& query,
                        const TensorMeta& tensor) {
  const std::string name = InputName(condition.input, query);
  const Shape& shape = tensor.shape;
  switch (condition.kind) {
    case Kind::kRankAtLeast:
    case Kind::kRankAtMost:
      return {absl::StrCat("rank(", name, ")"),
              absl::StrCat(condition.kind == Kind::kRankAtLeast ? "at least "
                                                                : "at most ",
                           condition.value),
              absl::StrCat(shape.rank())};
    case Kind::kItemElementsAtLeast:
      return {absl::StrCat("numel(", name, "[0])"),
              absl::StrCat("at least ", condition.value),
              CountText(GetCount(shape, 1), condition.input, query)};
    case Kind::kElementsAtMost:
      return {absl::StrCat("numel(", name, ")"),
              absl::StrCat("at most ", condition.value),
              CountText(GetCount(shape), condition.input, query)};
    case Kind::kContiguous:
      return {name, "contiguous",
              tensor.contiguous ? "contiguous"
              : shape.known()   ? "strided"
                                : absl::StrCat("strides of ", ToString(shape))};
    default:
      return DescribeExtent(condition, query, shape);
  }
}

Mismatch DescribeAttr(const Condition& condition, const Query& query) {
  const AttrRef got = query.attrs[condition.attr];
  std::string expected;
  if (condition.kind == Kind::kAttrEquals) {
    expected = ValueText(got, condition.value);
  } else {
    expected = absl::StrCat(
        "at most ", static_cast<int>(condition.axis), " of ",
        ToString(PostOpKinds::OfBits(static_cast<uint32_t>(condition.value))));
  }
  return {query.op->attrs[condition.attr].name, expected, ToString(got)};
}

Mismatch DescribeWork(const Condition& condition, const Query& query,
                      const TensorMeta& tensor) {
  const TensorMeta* other = FindTensor(condition.axis, query);
  std::optional<int64_t> work;
  if (other != nullptr) work = WorkOf(tensor.shape, other->shape);
  const std::string by = InputName(condition.axis, query);
  return {absl::StrCat("numel(", InputName(condition.input, query),
                       ") * extent(", by, ", -1)"),
          absl::StrCat("at least ", condition.value),
          work.has_value()
              ? absl::StrCat(*work)
              : absl::StrCat(ShapeText(condition.input, query), " and ",
                             ShapeText(condition.axis, query))};
}

Mismatch DescribeSameShape(const Condition& condition, const Query& query,
                           const TensorMeta& tensor) {
  const std::string other = InputName(condition.axis, query);
  const TensorMeta* const like = FindTensor(condition.axis, query);
  if (like == nullptr) return {other, "given", "none"};
  return {absl::StrCat("shape(", InputName(condition.input, query), ")"),
          absl::StrCat("that of ", other, ", ", ToString(like->shape)),
          ToString(tensor.shape)};
}

Mismatch DescribeDevice(const Condition& condition, Place place) {
  const DeviceInfo* const device = FindDevice(place.type);
  return {absl::StrCat(device->property_names[condition.axis], "(",
                       ToString(place), ")"),
          absl::StrCat("at least ", condition.value),
          absl::StrCat(device->property(place.index, condition.axis))};
}

Tristate EvaluateOne(const Condition& condition, const Query& query,
                     Place place) {
  if (IsOnAttr(condition)) {
    return EvaluateAttr(condition, query.attrs[condition.attr]);
  }
  if (condition.kind == Kind::kDeviceAtLeast) {
    return EvaluateDevice(condition, place);
  }
  const TensorMeta* tensor = FindTensor(condition.input, query);
  if (tensor == nullptr) return Tristate::kFalse;
  return EvaluateTensor(condition, *tensor, query);
}

Mismatch DescribeOne(const Condition& condition, const Query& query,
                     Place place) {
  if (IsOnAttr(condition)) return DescribeAttr(condition, query);
  if (condition.kind == Kind::kDeviceAtLeast) {
    return DescribeDevice(condition, place);
  }
  const TensorMeta* tensor = FindTensor(condition.input, query);
  if (tensor == nullptr) {
    return {InputName(condition.input, query), "given", "none"};
  }
  if (condition.kind == Kind::kSameShape) {
    return DescribeSameShape(condition, query, *tensor);
  }
  if (condition.kind == Kind::kWorkAtLeast) {
    return DescribeWork(condition, query, *tensor);
  }
  return DescribeTensor(condition, query, *tensor);
}

// The conditions one of which must hold: a group's members, or the first alone.
absl::Span<const Condition> MembersOf(absl::Span<const Condition> conditions) {
  const size_t entries = NumEntries(conditions.front());
  return entries == 1 ? conditions.subspan(0, 1)
                      : conditions.subspan(1, entries - 1);
}

// Members that ask the same of the call: "dtype must be int32 or int64".
Mismatch DescribeChoice(absl::Span<const Mismatch> members) {
  std::vector<std::string_view> expected;
  for (const Mismatch& member : members) expected.push_back(member.expected);
  return {members[0].subject, Alternatives(expected), members[0].actual};
}

}  // namespace

Tristate Evaluate(absl::Span<const Condition> conditions, const Query& query,
                  Place place) {
  if (conditions.front().kind != Kind::kAnyOf) {
    return EvaluateOne(conditions.front(), query, place);
  }
  Tristate any = Tristate::kFalse;
  for (const Condition& condition : MembersOf(conditions)) {
    const Tristate truth = EvaluateOne(condition, query, place);
    if (truth == Tristate::kTrue) return truth;
    if (truth == Tristate::kUndecided) any = truth;
  }
  return any;
}

Tristate Evaluate(const Condition& condition, const Query& query) {
  return Evaluate(absl::MakeConstSpan(&condition, 1), query, query.place);
}

Mismatch Describe(absl::Span<const Condition> conditions, const Query& query,
                  Place place) {
  std::vector<Mismatch> members;
  for (const Condition& condition : MembersOf(conditions)) {
    members.push_back(DescribeOne(condition, query, place));
  }
  if (std::all_of(members.begin(), members.end(), [&](const Mismatch& member) {
        return member.subject == members[0].subject;
      })) {
    return DescribeChoice(members);
  }
  Mismatch all = {"one of: " + members[0].subject, members[0].expected,
                  members[0].actual};
  for (size_t i = 1; i < members.size(); ++i) {
    absl::StrAppend(&all.expected, ", or ", members[i].subject, " ",
                    members[i].expected);
    absl::StrAppend(&all.actual, " and ", members[i].actual);
  }
  return all;
}

Mismatch Describe(const Condition& condition, const Query& query) {
  return Describe(absl::MakeConstSpan(&condition, 1), query, query.place);
}

}  // namespace switchyard::phi::selection

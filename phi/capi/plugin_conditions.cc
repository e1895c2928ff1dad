// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/plugin_conditions.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "phi/capi/registry.h"

namespace switchyard::phi::capi {
namespace {

using Kind = Condition::Kind;

absl::StatusOr<Kind> KindOf(const SyCondition& given) {
  static constexpr std::pair<int32_t, Kind> kKinds[] = {
      {SY_RANK_AT_LEAST, Kind::kRankAtLeast},
      {SY_RANK_AT_MOST, Kind::kRankAtMost},
      {SY_ITEM_ELEMENTS_AT_LEAST, Kind::kItemElementsAtLeast},
      {SY_ELEMENTS_AT_MOST, Kind::kElementsAtMost},
      {SY_EXTENT_AT_LEAST, Kind::kExtentAtLeast},
      {SY_EXTENT_AT_MOST, Kind::kExtentAtMost},
      {SY_ATTR_EQUALS, Kind::kAttrEquals},
      {SY_SAME_SHAPE, Kind::kSameShape},
      {SY_ANY_OF, Kind::kAnyOf},
      {SY_DEVICE_AT_LEAST, Kind::kDeviceAtLeast},
  };
  for (const auto& [number, kind] : kKinds) {
    if (number == given.kind) return kind;
  }
  return ArgumentError("the kind of a condition",
                       "one that phi/capi/plugin.h lists",
                       absl::StrCat(given.kind));
}

// The number of the input; an error if there is none of the name.
absl::StatusOr<int> InputNumber(const OpInfo& op, const char* what,
                                const char* name) {
  const int position = op.input_index(name == nullptr ? "" : name);
  if (position >= 0) return position;
  return ArgumentError(what, "an input of the operator", Quoted(name));
}

absl::StatusOr<Condition> ConditionOnAttr(const OpInfo& op,
                                          const SyCondition& given) {
  const char* const name = given.argument == nullptr ? "" : given.argument;
  const int position = op.attr_index(name);
  if (position < 0) {
    return ArgumentError("the argument of a condition",
                         "an attribute of the operator",
                         Quoted(given.argument));
  }
  Condition condition{Kind::kAttrEquals};
  condition.attr = static_cast<int16_t>(position);
  condition.value = given.value;
  const AttrType type = op.attrs[position].type;
  if (type == AttrType::kDataType) {
    const std::optional<DataType> dtype =
        ParseDataType(given.text == nullptr ? "" : given.text);
    if (!dtype.has_value()) {
      return ArgumentError("the text of a condition", "the name of a dtype",
                           Quoted(given.text));
    }
    condition.value = static_cast<int64_t>(*dtype);
  } else if (type == AttrType::kPostOps) {
    SY_ASSIGN_OR_RETURN(const PostOps ops,
                        ParsePostOps("the text of a condition",
                                     given.text == nullptr ? "" : given.text));
    condition.value = ops.number();
  } else if (type != AttrType::kBool && type != AttrType::kInt &&
             type != AttrType::kInt64) {
    return TypeError(absl::StrCat("attribute ", name),
                     "an integer, a bool, a dtype or a list of functions for a "
                     "condition",
                     Name(type));
  }
  return condition;
}

absl::StatusOr<Condition> ConditionOnDevice(const DeviceInfo& device,
                                            const SyCondition& given) {
  const std::string_view name = given.argument == nullptr ? "" : given.argument;
  const auto names = device.property_names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    return ArgumentError(
        "the argument of a condition",
        absl::StrCat("a property of device ", device.name, " (it has ",
                     names.empty() ? "none" : absl::StrJoin(names, ", "), ")"),
        Quoted(given.argument));
  }
  Condition condition{Kind::kDeviceAtLeast};
  condition.axis = static_cast<int8_t>(found - names.begin());
  condition.value = given.value;
  return condition;
}

absl::StatusOr<Condition> ConditionOf(const OpInfo& op,
                                      const DeviceInfo& device,
                                      const SyCondition& given) {
  SY_ASSIGN_OR_RETURN(const Kind kind, KindOf(given));
  if (kind == Kind::kAttrEquals) return ConditionOnAttr(op, given);
  if (kind == Kind::kDeviceAtLeast) return ConditionOnDevice(device, given);
  Condition condition{kind};
  condition.value = given.value;
  if (kind == Kind::kAnyOf) return condition;
  SY_ASSIGN_OR_RETURN(
      const int input,
      InputNumber(op, "the argument of a condition", given.argument));
  condition.input = static_cast<int16_t>(input);
  if (kind == Kind::kSameShape) {
    SY_ASSIGN_OR_RETURN(const int other,
                        InputNumber(op, "the text of a condition", given.text));
    condition.axis = static_cast<int8_t>(other);
    return condition;
  }
  if (given.axis < -kMaxRank || given.axis >= kMaxRank) {
    return RangeError("the axis of a condition",
                      absl::StrCat("in [", -kMaxRank, ", ", kMaxRank, ")"),
                      absl::StrCat(given.axis));
  }
  condition.axis = static_cast<int8_t>(given.axis);
  return condition;
}

// Checks that each group has its members, none of which is a group.
absl::Status CheckGroups(const std::vector<Condition>& conditions) {
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (conditions[i].kind != Kind::kAnyOf) continue;
    const int64_t members = conditions[i].value;
    const auto follow = static_cast<int64_t>(conditions.size() - i - 1);
    if (members < 2 || members > follow) {
      return RangeError(
          "the value of a condition SY_ANY_OF",
          absl::StrCat("from 2 to the number of those that follow, ", follow),
          absl::StrCat(members));
    }
    for (int64_t member = 0; member < members; ++member) {
      if (conditions[++i].kind != Kind::kAnyOf) continue;
      return ArgumentError("a condition of a group",
                           "of another kind than SY_ANY_OF", "SY_ANY_OF");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Condition>> ConditionsOf(const OpInfo& op,
                                                    const DeviceInfo& device,
                                                    const SyKernel& given) {
  std::vector<Condition> conditions;
  const auto* next = reinterpret_cast<const char*>(given.conditions);
  for (size_t i = 0; i < given.num_conditions; ++i) {
    const auto* const condition = reinterpret_cast<const SyCondition*>(next);
    SY_RETURN_IF_ERROR(CheckSize("SyCondition", condition));
    SY_ASSIGN_OR_RETURN(conditions.emplace_back(),
                        ConditionOf(op, device, *condition));
    next += given.conditions->struct_size;
  }
  SY_RETURN_IF_ERROR(CheckGroups(conditions));
  return conditions;
}

}  // namespace switchyard::phi::capi

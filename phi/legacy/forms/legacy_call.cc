// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/forms/legacy_call.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "framework/types/shape.h"
#include "phi/legacy/forms/common_attributes.h"
#include "phi/legacy/forms/legacy_data_type.h"

namespace switchyard::phi {
namespace {

template <typename Row>
std::string NamesOf(absl::Span<const Row> rows) {
  return absl::StrJoin(rows, ", ", [](std::string* out, const Row& row) {
    out->append(row.name);
  });
}

bool IsExtra(const LegacyForm& form, std::string_view name) {
  const auto is_name = [&](std::string_view other) { return other == name; };
  return std::any_of(form.extra.begin(), form.extra.end(), is_name) ||
         IsWithoutEffect(name);
}

// The call's inputs that the form's slots name; -1 where absent.
absl::StatusOr<std::vector<int>> MatchSlots(
    const LegacyForm& form, absl::Span<const LegacyInput> given) {
  std::vector<int> matched(form.inputs.size(), -1);
  for (size_t i = 0; i < given.size(); ++i) {
    const LegacySlot* slot = form.input(given[i].slot);
    if (slot == nullptr) {
      if (given[i].count == 0) continue;
      return ArgumentError("inputs", absl::StrCat("of ", NamesOf(form.inputs)),
                           given[i].slot);
    }
    int& input = matched[slot - form.inputs.data()];
    if (input >= 0) return ArgumentError(given[i].slot, "given once", "twice");
    input = static_cast<int>(i);
    if (given[i].count > 1 && !slot->duplicable) {
      return ArgumentError(given[i].slot, "one tensor",
                           absl::StrCat(given[i].count));
    }
  }
  for (int& input : matched) {
    if (input >= 0 && given[input].count == 0) input = -1;
  }
  return matched;
}

bool MayBeAbsent(const OpInfo& op, const LegacySlot& slot) {
  if (slot.dispensable) return true;
  if (slot.argument < 0) return slot.supplies < 0;
  const InputInfo& input = op.inputs[slot.argument];
  return input.optional || input.list;
}

// The problems of a call's attributes, one after another in one error; at most
// kMaxListed are listed.
class Problems {
 public:
  void Add(const absl::Status& status) {
    constexpr int kMaxListed = 20;
    if (status.ok() || ++count_ > kMaxListed) return;
    all_ = count_ == 1
               ? status
               : absl::Status(all_.code(), absl::StrCat(all_.message(), "; ",
                                                        status.message()));
  }
  const absl::Status& status() const { return all_; }

 private:
  absl::Status all_;
  int count_ = 0;
};

// A given value as one of the form's type; dtypes come as numbers.
absl::StatusOr<Attribute> OfFormType(const LegacyAttr& attr, AttrRef given) {
  if (attr.type != AttrType::kDataType) {
    return ConvertAttribute(attr.name, given, attr.type);
  }
  SY_ASSIGN_OR_RETURN(const Attribute number,
                      ConvertAttribute(attr.name, given, AttrType::kInt));
  const int code = number.ref().Get<int>();
  if (code == -1) return Attribute(AttrRef(DataType::kUndefined));
  const std::optional<DataType> dtype = DataTypeOfLegacy(code);
  if (!dtype.has_value()) {
    return ArgumentError(attr.name, "the number of an element type",
                         ToString(number.ref()));
  }
  return Attribute(AttrRef(*dtype));
}

std::string ValuesOf(const LegacyAttr& attr) {
  return absl::StrJoin(attr.values, ", ",
                       [](std::string* out, const LegacyValue& value) {
                         out->append(ToString(value.value));
                       });
}

absl::StatusOr<std::optional<Attribute>> Repeated(const LegacyForm& form,
                                                  const LegacyAttr& attr,
                                                  int count) {
  constexpr int kMax = 65535;
  if (count < 0 || count > kMax) {
    return ArgumentError(attr.name, absl::StrCat("from 0 to ", kMax),
                         absl::StrCat(count));
  }
  const std::vector<int64_t> items(count, attr.repeated);
  SY_ASSIGN_OR_RETURN(
      Attribute ours,
      ConvertAttribute(attr.name, AttrRef(absl::Span<const int64_t>(items)),
                       form.op->attrs[attr.attr].type));
  return ours;
}

// Returns our list of the numbers from `first` to the value of `attr`.
absl::StatusOr<std::optional<Attribute>> Counted(const LegacyForm& form,
                                                 const LegacyAttr& attr,
                                                 int first, int last) {
  constexpr int kMax = 65535;
  const int64_t count = int64_t{last} - first + 1;
  if (count < 1 || count > kMax) {
    return ArgumentError(
        attr.name,
        absl::StrCat("in [", first, ", ", int64_t{first} + kMax, ")"),
        absl::StrCat(last));
  }
  std::vector<int64_t> items(count);
  std::iota(items.begin(), items.end(), int64_t{first});
  SY_ASSIGN_OR_RETURN(
      Attribute ours,
      ConvertAttribute(attr.name, AttrRef(absl::Span<const int64_t>(items)),
                       form.op->attrs[attr.attr].type));
  return ours;
}

// ArgumentError for a number that is not in the attribute's range.
absl::Status CheckRange(const LegacyAttr& attr, const Attribute& theirs) {
  double number;
  switch (attr.type) {
    case AttrType::kInt:
      number = theirs.ref().Get<int>();
      break;
    case AttrType::kInt64:
      number = static_cast<double>(theirs.ref().Get<int64_t>());
      break;
    case AttrType::kFloat:
      number = theirs.ref().Get<float>();
      break;
    default:
      return absl::OkStatus();
  }
  if (number < attr.least || number > attr.most) {
    return ArgumentError(attr.name,
                         absl::StrCat("in [", attr.least, ", ", attr.most, "]"),
                         ToString(theirs.ref()));
  }
  return absl::OkStatus();
}

// Returns our attribute for a value of the form's type; nullopt if the value
// leaves it alone.
absl::StatusOr<std::optional<Attribute>> MapAttribute(const LegacyForm& form,
                                                      const LegacyAttr& attr,
                                                      const Attribute& theirs) {
  if (attr.has_unset && theirs == Attribute(attr.unset)) return std::nullopt;
  const LegacyValue* found = nullptr;
  for (const LegacyValue& value : attr.values) {
    if (theirs == Attribute(value.value)) found = &value;
  }
  if (found == nullptr && !attr.values.empty()) {
    return ArgumentError(attr.name, ValuesOf(attr), ToString(theirs.ref()));
  }
  SY_RETURN_IF_ERROR(CheckRange(attr, theirs));
  if (attr.attr < 0) return std::nullopt;
  if (found != nullptr && found->mapped) return Attribute(found->ours);
  if (attr.repeats) return Repeated(form, attr, theirs.ref().Get<int>());
  SY_ASSIGN_OR_RETURN(Attribute ours,
                      ConvertAttribute(attr.name, theirs.ref(),
                                       form.op->attrs[attr.attr].type));
  return ours;
}

// An attribute that any operator may have leads to none of ours.
absl::Status CheckCommon(const LegacyForm& form, const LegacyAttr& attr,
                         AttrRef given) {
  SY_ASSIGN_OR_RETURN(const Attribute theirs, OfFormType(attr, given));
  return MapAttribute(form, attr, theirs).status();
}

// Checks an attribute that the form lacks and that has an effect.
absl::Status CheckOther(const LegacyForm& form, const LegacyAttrValue& value) {
  if (const LegacyAttr* common = FindCommonAttr(value.name)) {
    return CheckCommon(form, *common, value.value);
  }
  if (IsNeutral(value.name, value.value)) return absl::OkStatus();
  return ArgumentError(value.name,
                       form.attrs.empty()
                           ? "absent or neutral"
                           : absl::StrCat("absent or neutral (the form has ",
                                          NamesOf(form.attrs), ")"),
                       ToString(value.value));
}

// Returns the given value of each attribute of the form; null if there is none.
std::vector<const AttrRef*> MatchAttributes(
    const LegacyForm& form, absl::Span<const LegacyAttrValue> given,
    Problems* problems) {
  std::vector<const AttrRef*> matched(form.attrs.size(), nullptr);
  std::set<std::string_view> others;
  for (const LegacyAttrValue& value : given) {
    const LegacyAttr* attr = form.attr(value.name);
    bool again = false;
    if (attr != nullptr) {
      const AttrRef*& match = matched[attr - form.attrs.data()];
      again = match != nullptr;
      match = &value.value;
    } else if (!IsExtra(form, value.name)) {
      again = !others.insert(value.name).second;
      if (!again) problems->Add(CheckOther(form, value));
    }
    if (again) problems->Add(ArgumentError(value.name, "given once", "twice"));
  }
  return matched;
}

// Our attribute for what is given of one of the form's, or for its default;
// nullopt if neither sets one. `first` keeps the first number of a list until
// the last one comes.
absl::StatusOr<std::optional<Attribute>> MapGiven(const LegacyForm& form,
                                                  const LegacyAttr& attr,
                                                  const AttrRef* given,
                                                  std::optional<int>* first) {
  if (given == nullptr && !attr.has_default) return std::nullopt;
  Attribute theirs(attr.default_value);
  if (given != nullptr) {
    SY_ASSIGN_OR_RETURN(theirs, OfFormType(attr, *given));
  }
  if (attr.bound == LegacyBound::kNone) return MapAttribute(form, attr, theirs);
  const int number = theirs.ref().Get<int>();
  if (attr.bound == LegacyBound::kFirst) {
    *first = number;
    return std::nullopt;
  }
  if (first->has_value()) return Counted(form, attr, **first, number);
  for (const LegacyAttr& other : form.attrs) {
    if (other.bound == LegacyBound::kFirst && other.attr == attr.attr) {
      return ArgumentError(other.name, "given", "none");
    }
  }
  return absl::InternalError("a list with a last number must have a first one");
}

// Whether an attribute of a gradient is one that old programs never tell: a
// list that tensors give the forward operator, to which the gradient's extents
// answer, or a switch that came later. Then it is empty, or off.
bool IsOfForward(const LegacyForm& form, const AttrInfo& attr) {
  const std::string_view type = form.type, end = "_grad";
  const bool gradient =
      type.size() > end.size() && type.substr(type.size() - end.size()) == end;
  return gradient && !attr.has_default &&
         (attr.type == AttrType::kBool ||
          (attr.supplied && attr.type == AttrType::kInt64s));
}

}  // namespace

absl::StatusOr<LegacyInputs> MapInputs(const LegacyForm& form,
                                       absl::Span<const LegacyInput> given) {
  SY_ASSIGN_OR_RETURN(const std::vector<int> matched, MatchSlots(form, given));
  const OpInfo& op = *form.op;
  LegacyInputs inputs;
  inputs.suppliers.assign(op.attrs.size(), -1);
  std::vector<int> by_argument(op.inputs.size(), -1);
  for (size_t s = 0; s < form.inputs.size(); ++s) {
    const LegacySlot& slot = form.inputs[s];
    if (matched[s] < 0) {
      if (MayBeAbsent(op, slot)) continue;
      return ArgumentError(slot.name, "given", "none");
    }
    if (slot.argument >= 0) by_argument[slot.argument] = matched[s];
    for (const int attr : {slot.supplies, slot.gives}) {
      if (attr >= 0) inputs.suppliers[attr] = matched[s];
    }
  }
  for (size_t a = 0; a < by_argument.size(); ++a) {
    const int input = by_argument[a];
    const size_t count = input < 0 ? 0 : given[input].count;
    if (!op.inputs[a].list) {
      inputs.tensors.AddOne({input, 0});
      continue;
    }
    for (size_t i = 0; i < count; ++i) {
      inputs.tensors.push_back({input, static_cast<int>(i)});
    }
    inputs.tensors.EndArgument();
    if (!inputs.tensors.Check().ok()) {
      return ArgumentError(op.inputs[a].name, "at most 65535 tensors",
                           absl::StrCat(count));
    }
  }
  return inputs;
}

absl::StatusOr<Attribute> ReadGiven(const LegacyForm& form, const char* slot,
                                    int attr, const TensorSpec& spec,
                                    absl::Span<const Attribute> attributes) {
  const AttrInfo& info = form.op->attrs[attr];
  if (info.type == AttrType::kDataType) return Attribute(AttrRef(spec.dtype));
  const int axis = form.op->attr_index("axis");
  if (axis < 0) return absl::InternalError("the operator must have an axis");
  SY_ASSIGN_OR_RETURN(const int at,
                      NormalizeAxis("axis", attributes[axis].ref().Get<int>(),
                                    spec.shape.rank()));
  const Dim extent = spec.shape[at];
  if (!extent.known() || extent.value() > std::numeric_limits<int>::max()) {
    return ArgumentError(slot,
                         absl::StrCat("of a known extent along axis ", at,
                                      ", which is ", info.name),
                         ToString(spec.shape));
  }
  return Attribute(AttrRef(static_cast<int>(extent.value())));
}

bool ReadsAttribute(const LegacyForm& form, std::string_view name) {
  return form.attr(name) != nullptr || !IsExtra(form, name);
}

absl::StatusOr<std::vector<Attribute>> MapAttributes(
    const LegacyForm& form, absl::Span<const LegacyAttrValue> given,
    absl::Span<const int> suppliers) {
  const OpInfo& op = *form.op;
  Problems problems;
  const std::vector<const AttrRef*> matched =
      MatchAttributes(form, given, &problems);
  std::vector<Attribute> attributes(op.attrs.size());
  std::vector<bool> known(op.attrs.size());
  std::optional<int> first;  // Of a list whose last number comes later.
  for (const LegacyConstant& constant : form.constants) {
    attributes[constant.attr] = Attribute(constant.value);
    known[constant.attr] = true;
  }
  for (size_t i = 0; i < matched.size(); ++i) {
    const LegacyAttr& attr = form.attrs[i];
    absl::StatusOr<std::optional<Attribute>> ours =
        MapGiven(form, attr, matched[i], &first);
    problems.Add(ours.status());
    if (!ours.ok() || !ours->has_value()) continue;
    attributes[attr.attr] = **std::move(ours);
    known[attr.attr] = true;
  }
  SY_RETURN_IF_ERROR(problems.status());
  for (size_t i = 0; i < known.size(); ++i) {
    const bool supplied = i < suppliers.size() && suppliers[i] >= 0;
    if (known[i] || supplied) continue;
    if (IsOfForward(form, op.attrs[i])) {
      attributes[i] = op.attrs[i].type == AttrType::kBool
                          ? Attribute(AttrRef(false))
                          : Attribute(AttrRef(absl::Span<const int64_t>()));
      continue;
    }
    if (!op.attrs[i].has_default) {
      return ArgumentError(op.attrs[i].name, "given", "none");
    }
    attributes[i] = Attribute(op.attrs[i].default_value);
  }
  return attributes;
}

}  // namespace switchyard::phi

// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/foreign_operator.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {
namespace {

bool IsSingle(ForeignKind kind) {
  switch (kind) {
    case ForeignKind::kBool:
    case ForeignKind::kInt:
    case ForeignKind::kLong:
    case ForeignKind::kFloat:
    case ForeignKind::kDouble:
    case ForeignKind::kText:
      return true;
    default:
      return false;
  }
}

template <typename Attr, typename Attrs>
Attr* Find(Attrs& attrs, std::string_view name) {
  for (Attr& attr : attrs) {
    if (attr.name == name) return &attr;
  }
  return nullptr;
}

}  // namespace

void Reset(ForeignSlot* slot) {
  slot->name.clear();
  slot->variables.Clear();
}

void Reset(ForeignAttr* attr) {
  attr->name.clear();
  attr->kind = ForeignKind::kNone;
  attr->written_kind = 0;
  attr->present = false;
  attr->must_be = nullptr;
  attr->got = 0;
  attr->in_file = {};
  attr->reference.clear();
  attr->integer_ = 0;
  attr->number_ = 0;
  attr->bytes_.clear();
  attr->texts_.Clear();
}

int64_t ForeignAttr::integer() const {
  const bool whole = kind == ForeignKind::kBool || kind == ForeignKind::kInt ||
                     kind == ForeignKind::kLong || kind == ForeignKind::kBlock;
  return whole && present ? integer_ : 0;
}

double ForeignAttr::number() const {
  switch (kind) {
    case ForeignKind::kFloat:
    case ForeignKind::kDouble:
      return present ? number_ : 0;
    case ForeignKind::kScalar: {
      const absl::Span<const Scalar> scalars = list<Scalar>();
      return scalars.size() == 1 ? scalars[0].ToDouble() : 0;
    }
    default:
      return static_cast<double>(integer());
  }
}

absl::StatusOr<AttrRef> ForeignAttr::Value() const {
  if (IsSingle(kind) && !present) {
    return ArgumentError(absl::StrCat("attribute '", name, "'"),
                         "of some value", "none");
  }
  switch (kind) {
    case ForeignKind::kBool:
      return AttrRef(integer_ != 0);
    case ForeignKind::kInt:
      return AttrRef(static_cast<int>(integer_));
    case ForeignKind::kLong:
      return AttrRef(integer_);
    case ForeignKind::kFloat:
      return AttrRef(static_cast<float>(number_));
    case ForeignKind::kDouble:
      return AttrRef(number_);
    case ForeignKind::kText:
      return AttrRef(text());
    case ForeignKind::kBools:
      return AttrRef(list<bool>());
    case ForeignKind::kInts:
      return AttrRef(list<int>());
    case ForeignKind::kLongs:
      return AttrRef(list<int64_t>());
    case ForeignKind::kFloats:
      return AttrRef(list<float>());
    case ForeignKind::kDoubles:
      return AttrRef(list<double>());
    case ForeignKind::kTexts:
      return AttrRef(texts_.span());
    case ForeignKind::kScalar:
      if (must_be == nullptr) return AttrRef(list<Scalar>()[0]);
      break;
    case ForeignKind::kScalars:
      if (must_be == nullptr) return AttrRef(list<Scalar>());
      break;
    case ForeignKind::kNone:
    case ForeignKind::kBlock:
    case ForeignKind::kBlocks:
    case ForeignKind::kTensor:
      break;
  }
  const bool known = must_be != nullptr;
  const bool named = kind == ForeignKind::kNone && !bytes_.empty();
  return TypeError(
      absl::StrCat("attribute '", name, "'"),
      known ? must_be : "a number, a text or a list of numbers",
      named ? bytes_ : absl::StrCat("type ", known ? got : written_kind));
}

void ForeignAttr::Set(bool value) {
  kind = ForeignKind::kBool;
  SetInteger(value ? 1 : 0);
}

void ForeignAttr::Set(float value) {
  kind = ForeignKind::kFloat;
  SetNumber(value);
}

void ForeignAttr::SetInteger(int64_t value) {
  integer_ = value;
  present = true;
}

void ForeignAttr::SetNumber(double value) {
  number_ = value;
  present = true;
}

bool SameValue(const ForeignAttr& a, const ForeignAttr& b) {
  if (a.kind != b.kind || a.written_kind != b.written_kind ||
      a.present != b.present || a.integer_ != b.integer_ ||
      a.number_ != b.number_ || a.in_file != b.in_file ||
      a.reference != b.reference) {
    return false;
  }
  if (a.kind != ForeignKind::kScalar && a.kind != ForeignKind::kScalars) {
    return a.bytes_ == b.bytes_ && a.texts_ == b.texts_;
  }
  const absl::Span<const Scalar> left = a.list<Scalar>();
  const absl::Span<const Scalar> right = b.list<Scalar>();
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

void ForeignOperator::Clear() {
  type.clear();
  domain.clear();
  label.clear();
  overload.clear();
  inputs.Clear();
  outputs.Clear();
  attrs.Clear();
}

absl::Span<const int> ForeignOperator::blocks() const {
  for (const ForeignAttr& attr : attrs) {
    if (attr.kind == ForeignKind::kBlocks) return attr.list<int>();
  }
  return {};
}

const ForeignAttr* ForeignOperator::attr(std::string_view name) const {
  return Find<const ForeignAttr>(attrs, name);
}

ForeignAttr* ForeignOperator::attr(std::string_view name) {
  return Find<ForeignAttr>(attrs, name);
}

const ForeignSlot* FindSlot(const ReusedList<ForeignSlot>& slots,
                            std::string_view name) {
  return Find<const ForeignSlot>(slots, name);
}

std::string OnlyVariable(const ReusedList<ForeignSlot>& slots,
                         std::string_view name) {
  const ForeignSlot* const slot = FindSlot(slots, name);
  return slot != nullptr && slot->count() == 1 ? slot->variables[0] : "";
}

}  // namespace switchyard::static_graph

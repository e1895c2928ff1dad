// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/legacy_attributes.h"

#include <array>
#include <complex>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"

namespace switchyard::static_graph {
namespace {

using Attr = translate::OpDesc::Attr;

std::string Subject(const Attr& attr) {
  return absl::StrCat("attribute '", attr.name(), "'");
}

template <typename T>
AttrRef ListOf(const google::protobuf::RepeatedField<T>& list) {
  return absl::Span<const T>(list.data(), static_cast<size_t>(list.size()));
}

absl::StatusOr<AttrRef> ValueOf(const Attr& attr, bool present, AttrRef value) {
  if (present) return value;
  return ArgumentError(Subject(attr), "of some value", "none");
}

absl::StatusOr<Scalar> ReadScalar(const Attr& attr,
                                  const translate::Scalar& scalar) {
  switch (static_cast<ScalarKind>(scalar.type())) {
    case ScalarKind::kBool:
      return Scalar(scalar.b());
    case ScalarKind::kLong:
      return Scalar(int64_t{scalar.i()});
    case ScalarKind::kDouble:
      return Scalar(scalar.r());
    case ScalarKind::kComplex:
      return Scalar(std::complex<double>(scalar.c().r(), scalar.c().i()));
  }
  return TypeError(Subject(attr), "of numbers of type 1 to 4",
                   absl::StrCat("type ", scalar.type()));
}

// Keeps the numbers in `kept`.
absl::StatusOr<AttrRef> ReadScalars(const Attr& attr, KeptLists* kept) {
  std::vector<Scalar> scalars;
  for (const translate::Scalar& scalar : attr.scalars()) {
    SY_ASSIGN_OR_RETURN(scalars.emplace_back(), ReadScalar(attr, scalar));
  }
  kept->scalars.push_back(std::move(scalars));
  return AttrRef(absl::MakeConstSpan(kept->scalars.back()));
}

// The attributes of an operator by name. Those of most are so few that to
// compare their names costs less than a table.
class SeenAttributes {
 public:
  // Notes an attribute. Returns the first one of its name; null if it is that.
  const Attr* Note(const Attr& attr) {
    for (size_t i = 0; i < count_; ++i) {
      if (few_[i]->name() == attr.name()) return few_[i];
    }
    if (count_ < few_.size()) {
      few_[count_++] = &attr;
      return nullptr;
    }
    const auto [first, added] = others_.emplace(attr.name(), &attr);
    return added ? nullptr : first->second;
  }

 private:
  std::array<const Attr*, 16> few_;
  size_t count_ = 0;
  HashMap<std::string_view, const Attr*> others_;
};

}  // namespace

absl::StatusOr<AttrRef> ReadAttribute(const Attr& attr, KeptLists* kept) {
  switch (static_cast<AttributeKind>(attr.type())) {
    case AttributeKind::kInt:
      return ValueOf(attr, attr.has_i(), attr.i());
    case AttributeKind::kFloat:
      return ValueOf(attr, attr.has_f(), attr.f());
    case AttributeKind::kString:
      return ValueOf(attr, attr.has_s(), std::string_view(attr.s()));
    case AttributeKind::kBool:
      return ValueOf(attr, attr.has_b(), attr.b());
    case AttributeKind::kLong:
      return ValueOf(attr, attr.has_l(), int64_t{attr.l()});
    case AttributeKind::kDouble:
      return ValueOf(attr, attr.has_float64(), attr.float64());
    case AttributeKind::kInts:
      return ListOf(attr.ints());
    case AttributeKind::kLongs:
      return ListOf(attr.longs());
    case AttributeKind::kFloats:
      return ListOf(attr.floats());
    case AttributeKind::kBools:
      return ListOf(attr.bools());
    case AttributeKind::kDoubles:
      return ListOf(attr.float64s());
    case AttributeKind::kStrings:
      kept->texts.emplace_back(attr.strings().begin(), attr.strings().end());
      return AttrRef(absl::MakeConstSpan(kept->texts.back()));
    case AttributeKind::kScalar: {
      SY_ASSIGN_OR_RETURN(const Scalar scalar, ReadScalar(attr, attr.scalar()));
      kept->scalars.push_back({scalar});
      return AttrRef(kept->scalars.back()[0]);
    }
    case AttributeKind::kScalars:
      return ReadScalars(attr, kept);
    case AttributeKind::kBlock:
    case AttributeKind::kBlocks:
      break;
  }
  return TypeError(Subject(attr), "a number, a text or a list of numbers",
                   absl::StrCat("type ", attr.type()));
}

absl::StatusOr<LegacyAttributes> ReadAttributes(const translate::OpDesc& op,
                                                const phi::LegacyForm& form) {
  LegacyAttributes read;
  SeenAttributes seen;
  read.values.reserve(static_cast<size_t>(op.attrs_size()));
  for (const Attr& attr : op.attrs()) {
    const Attr* const first = seen.Note(attr);
    // Some writers of programs list attributes twice.
    if (first != nullptr &&
        first->SerializeAsString() == attr.SerializeAsString()) {
      continue;
    }
    const auto kind = static_cast<AttributeKind>(attr.type());
    if (kind == AttributeKind::kBlock || kind == AttributeKind::kBlocks) {
      return absl::UnimplementedError(absl::StrCat(
          Subject(attr), " must be a value, got a block of operators"));
    }
    phi::LegacyAttrValue value = {attr.name(), AttrRef()};
    if (phi::ReadsAttribute(form, attr.name())) {
      SY_ASSIGN_OR_RETURN(value.value, ReadAttribute(attr, &read.kept));
    }
    read.values.push_back(value);
  }
  return read;
}

}  // namespace switchyard::static_graph

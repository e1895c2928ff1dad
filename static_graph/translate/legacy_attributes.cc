// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/legacy_attributes.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"

namespace switchyard::static_graph {
namespace {

std::string Subject(const ForeignAttr& attr) {
  return absl::StrCat("attribute '", attr.name, "'");
}

// The attributes of an operator by name. Those of most are so few that to
// compare their names costs less than a table.
class SeenAttributes {
 public:
  // Notes an attribute. Returns the first one of its name; null if it is that.
  const ForeignAttr* Note(const ForeignAttr& attr) {
    for (size_t i = 0; i < count_; ++i) {
      if (few_[i]->name == attr.name) return few_[i];
    }
    if (count_ < few_.size()) {
      few_[count_++] = &attr;
      return nullptr;
    }
    const auto [first, added] = others_.emplace(attr.name, &attr);
    return added ? nullptr : first->second;
  }

 private:
  std::array<const ForeignAttr*, 16> few_;
  size_t count_ = 0;
  HashMap<std::string_view, const ForeignAttr*> others_;
};

}  // namespace

absl::StatusOr<std::vector<phi::LegacyAttrValue>> ReadAttributes(
    const ForeignOperator& op, const phi::LegacyForm& form) {
  std::vector<phi::LegacyAttrValue> read;
  SeenAttributes seen;
  read.reserve(op.attrs.size());
  for (const ForeignAttr& attr : op.attrs) {
    const ForeignAttr* const first = seen.Note(attr);
    // Some writers of programs list attributes twice.
    if (first != nullptr && SameValue(*first, attr)) continue;
    if (attr.kind == ForeignKind::kBlock || attr.kind == ForeignKind::kBlocks) {
      return absl::UnimplementedError(absl::StrCat(
          Subject(attr), " must be a value, got a block of operators"));
    }
    phi::LegacyAttrValue value = {attr.name, AttrRef()};
    if (phi::ReadsAttribute(form, attr.name)) {
      SY_ASSIGN_OR_RETURN(value.value, attr.Value());
    }
    read.push_back(value);
  }
  return read;
}

}  // namespace switchyard::static_graph

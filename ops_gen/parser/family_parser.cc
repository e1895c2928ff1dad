// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/family_parser.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "framework/base/status.h"
#include "ops_gen/parser/entry_parser.h"
#include "ops_gen/parser/yaml_node.h"

namespace switchyard::ops_gen {
namespace {

std::string Stem(const std::string& file) {
  const size_t slash = file.rfind('/');
  const std::string base =
      slash == std::string::npos ? file : file.substr(slash + 1);
  return std::string(absl::StripSuffix(base, ".yaml"));
}

absl::Status CheckNeighbours(const Family& family, const Op* previous,
                             const Op* op, const YamlNode& at) {
  if (op != nullptr && FindOp(family, op->name) != nullptr) {
    return at.At(op->name).Error("each operator once",
                                 absl::StrCat("'", op->name, "' again"));
  }
  const bool wants_backward =
      previous != nullptr && !previous->backward.empty();
  if (wants_backward && (op == nullptr || op->name != previous->backward)) {
    return at.At(absl::StrCat(previous->name, ": backward"))
        .Error(
            absl::StrCat("the entry of ", previous->backward, " right below"),
            op == nullptr ? "none" : absl::StrCat("'", op->name, "'"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Family> ParseFamily(const std::string& file,
                                   const std::string& text) {
  SY_ASSIGN_OR_RETURN(const YamlNode document, YamlNode::Load(file, text));
  SY_ASSIGN_OR_RETURN(const std::vector<YamlNode> entries, document.Items());
  Family family;
  family.file = file;
  family.name = Stem(file);
  for (const YamlNode& entry : entries) {
    const Op* previous = family.ops.empty() ? nullptr : &family.ops.back();
    SY_ASSIGN_OR_RETURN(Op op, ParseEntry(entry, family.name, previous));
    SY_RETURN_IF_ERROR(CheckNeighbours(family, previous, &op, entry));
    family.ops.push_back(std::move(op));
  }
  if (!family.ops.empty()) {
    SY_RETURN_IF_ERROR(
        CheckNeighbours(family, &family.ops.back(), nullptr, document));
  }
  return family;
}

}  // namespace switchyard::ops_gen

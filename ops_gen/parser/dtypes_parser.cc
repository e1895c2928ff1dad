// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/dtypes_parser.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "ops_gen/parser/nearest.h"
#include "ops_gen/parser/scanner.h"
#include "ops_gen/schema/dtype_sets.h"

namespace switchyard::ops_gen {
namespace {

constexpr std::string_view kDtypes[] = {
#define SY_DATA_TYPE(enumerator, name, type, size) name,
#define SY_STORAGE_TYPE(enumerator, name, bits) name,
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
};

std::string SetNames() {
  return absl::StrJoin(DtypeSetNames(), ", ",
                       [](std::string* out, std::string_view name) {
                         absl::StrAppend(out, Absl(name));
                       });
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseDtypes(const YamlNode& node) {
  if (node.is_scalar()) {
    SY_ASSIGN_OR_RETURN(const std::string name, node.Text());
    std::vector<std::string> dtypes = DtypesOfSet(name);
    if (!dtypes.empty()) return dtypes;
    return node.Error(absl::StrCat("dtypes in brackets or one of ", SetNames()),
                      Guessed(name, DtypeSetNames()));
  }
  SY_ASSIGN_OR_RETURN(std::vector<std::string> dtypes, ReadTexts(node));
  if (!node.is_flow()) {
    return node.Error("the dtypes in brackets on one line", "a block list");
  }
  for (const std::string& dtype : dtypes) {
    if (!ParseDataType(dtype).has_value()) {
      return node.Error("dtypes", Guessed(dtype, kDtypes));
    }
    if (std::count(dtypes.begin(), dtypes.end(), dtype) > 1) {
      return node.Error("each dtype once",
                        absl::StrCat(Quoted(dtype), " again"));
    }
  }
  const std::string set = SetOfDtypes(dtypes);
  if (set.empty()) return dtypes;
  return node.Error(absl::StrCat("the name '", set, "' of this set of dtypes"),
                    "a list");
}

}  // namespace switchyard::ops_gen

// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/schema/dtype_sets.h"

#include <algorithm>

#include "absl/strings/str_split.h"

namespace switchyard::ops_gen {
namespace {

struct DtypeSet {
  std::string_view name;
  const char* dtypes;
};
constexpr DtypeSet kSets[] = {
#define SY_DTYPE_SET(name, dtypes) {#name, dtypes},
#include "ops_gen/schema/dtype_sets.def"
#undef SY_DTYPE_SET
};

std::vector<std::string> Split(const char* dtypes) {
  return absl::StrSplit(dtypes, ' ');
}

}  // namespace

std::vector<std::string> DtypesOfSet(std::string_view name) {
  for (const DtypeSet& set : kSets) {
    if (set.name == name) return Split(set.dtypes);
  }
  return {};
}

std::string SetOfDtypes(std::vector<std::string> dtypes) {
  std::sort(dtypes.begin(), dtypes.end());
  for (const DtypeSet& set : kSets) {
    std::vector<std::string> members = Split(set.dtypes);
    std::sort(members.begin(), members.end());
    if (members == dtypes) return std::string(set.name);
  }
  return "";
}

std::vector<std::string_view> DtypeSetNames() {
  std::vector<std::string_view> names;
  for (const DtypeSet& set : kSets) names.push_back(set.name);
  return names;
}

}  // namespace switchyard::ops_gen

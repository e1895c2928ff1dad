// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/schema/keys.h"

#include <algorithm>

namespace switchyard::ops_gen {
namespace {

struct KeysRow {
  std::string_view map;
  std::string_view keys;
};
constexpr KeysRow kRows[] = {
#define SY_ENTRY_KEYS(map, keys) {#map, keys},
#include "ops_gen/schema/keys.def"
#undef SY_ENTRY_KEYS
};

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

std::vector<std::string_view> EntryKeys(std::string_view map) {
  for (const KeysRow& row : kRows) {
    if (row.map == map) return Split(row.keys);
  }
  return {};
}

}  // namespace switchyard::ops_gen

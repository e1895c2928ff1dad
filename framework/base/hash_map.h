// SPDX-License-Identifier: Apache-2.0
// HashMap and HashSet: the standard's unordered containers with abseil's hash.
// The house uses them where others would take absl::flat_hash_map.
//
// Running out of memory must leave every container fit to be destroyed, and
// abseil's tables (20220623, Debian's) are not: a table that fails to grow has
// set its new capacity already, so its destructor frees an array that was
// never allocated. The standard's containers keep their contents when an
// insertion throws. tests/layering refuses abseil's tables by their headers.
//
// Where keys are dense numbers, a vector is better than either; where only a
// few are looked up, so is a sorted vector.
#ifndef SWITCHYARD_FRAMEWORK_BASE_HASH_MAP_H_
#define SWITCHYARD_FRAMEWORK_BASE_HASH_MAP_H_

#include <unordered_map>
#include <unordered_set>

#include "absl/hash/hash.h"

namespace switchyard {

template <typename Key, typename Value>
using HashMap = std::unordered_map<Key, Value, absl::Hash<Key>>;

template <typename Key>
using HashSet = std::unordered_set<Key, absl::Hash<Key>>;

// Returns whether the map or set has `key`.
template <typename Container, typename Key>
bool Contains(const Container& container, const Key& key) {
  return container.find(key) != container.end();
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_BASE_HASH_MAP_H_

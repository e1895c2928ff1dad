// SPDX-License-Identifier: Apache-2.0
// HashMap and HashSet: the standard's unordered containers with abseil's hash,
// or the address itself where the key is one. PooledMap and PooledSet take
// their elements from large blocks, which are freed all at once. They stand in
// for absl::flat_hash_map.
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

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "absl/hash/hash.h"

namespace switchyard {

// Hashes a pointer, or a handle with an address(), by the address alone: the
// standard's tables have a prime number of buckets, so that needs no mixing,
// and what lies side by side in memory, as the operations of a program do, has
// its buckets side by side too.
struct AddressHash {
  template <typename T>
  size_t operator()(const T* pointer) const noexcept {
    return reinterpret_cast<uintptr_t>(pointer) / alignof(std::max_align_t);
  }
  template <typename Handle>
  auto operator()(Handle handle) const noexcept
      -> decltype((*this)(handle.address())) {
    return (*this)(handle.address());
  }
};

// The hash of the house's containers.
template <typename Key>
using DefaultHash =
    std::conditional_t<std::is_invocable_v<AddressHash, const Key&>,
                       AddressHash, absl::Hash<Key>>;

template <typename Key, typename Value>
using HashMap = std::unordered_map<Key, Value, DefaultHash<Key>>;

template <typename Key>
using HashSet = std::unordered_set<Key, DefaultHash<Key>>;

// Gives a container its elements from large blocks, which go with it: elements
// cost no allocation each, and lie in the order of their insertion. Memory of
// erased elements is not used again, so it is for containers that only grow.
template <typename Container>
class Pooled : private std::pmr::monotonic_buffer_resource, public Container {
 public:
  Pooled() : Container(static_cast<std::pmr::memory_resource*>(this)) {}
  Pooled(const Pooled&) = delete;
  Pooled& operator=(const Pooled&) = delete;
};

template <typename Key, typename Value>
using PooledMap = Pooled<std::pmr::unordered_map<Key, Value, DefaultHash<Key>>>;

template <typename Key>
using PooledSet = Pooled<std::pmr::unordered_set<Key, DefaultHash<Key>>>;

// Returns whether the map or set has `key`.
template <typename Container, typename Key>
bool Contains(const Container& container, const Key& key) {
  return container.find(key) != container.end();
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_BASE_HASH_MAP_H_

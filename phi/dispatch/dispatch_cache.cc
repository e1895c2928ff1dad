// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/dispatch_cache.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>

namespace switchyard::phi::dispatch {

// A set-associative table: a call's set follows from its hash. The entry that
// an operator had last is tried first, which takes no hash.
struct DispatchCacheEntry::Table {
  static constexpr size_t kRecent = 64;
  static constexpr size_t kSets = 128;  // A power of two.
  static constexpr size_t kWays = 8;
  struct Set {
    std::unique_ptr<DispatchCacheEntry>
        entries[kWays];  // Those in use come first.
    size_t next = 0;     // The one to be replaced.
  };

  // This thread's; null if it has remembered nothing.
  static Table*& Current() {
    static thread_local Table* table = nullptr;
    return table;
  }
  // Returns the thread's table, which it makes first if need be; null at the
  // thread's end.
  static Table* Made();

  Set& SetOf(const DispatchCacheKey& key) { return sets[key.Hash() % kSets]; }
  const DispatchCacheEntry*& RecentOf(const OpInfo* op) {
    // Operators lie more than 128 bytes apart.
    return recent[(reinterpret_cast<uintptr_t>(op) >> 7) % kRecent];
  }

  Set sets[kSets];
  // An operator has that of no call at first.
  const DispatchCacheEntry* recent[kRecent];
  DispatchCacheEntry none;

  Table() { std::fill(std::begin(recent), std::end(recent), &none); }
};

DispatchCacheEntry::Table* DispatchCacheEntry::Table::Made() {
  if (Current() != nullptr) return Current();
  static thread_local bool ended = false;
  // Owns the table, and forgets it when the thread ends.
  static thread_local struct Owner {
    std::unique_ptr<Table> table;
    ~Owner() {
      Current() = nullptr;
      ended = true;
    }
  } owner;
  if (ended) return nullptr;
  owner.table = std::make_unique<Table>();
  return Current() = owner.table.get();
}

const DispatchCacheEntry* DispatchCacheEntry::Find(
    const DispatchCacheKey& key) {
  Table* const table = Table::Current();
  if (table == nullptr) return nullptr;
  const DispatchCacheEntry*& recent = table->RecentOf(key.op());
  if (recent->key_ == key) return recent;
  if (!key.complete()) return nullptr;
  for (const std::unique_ptr<DispatchCacheEntry>& cached :
       table->SetOf(key).entries) {
    if (cached == nullptr) return nullptr;
    if (cached->key_ == key) return recent = cached.get();
  }
  return nullptr;
}

DispatchCacheEntry* DispatchCacheEntry::Insert(const DispatchCacheKey& key,
                                               size_t outputs) {
  if (!key.complete() || outputs > kMaxOutputs) return nullptr;
  Table* const table = Table::Made();
  if (table == nullptr) return nullptr;
  static_assert(sizeof(Table) +
                    Table::kSets * Table::kWays * sizeof(DispatchCacheEntry) <=
                size_t{4} << 20);
  Table::Set& set = table->SetOf(key);
  std::unique_ptr<DispatchCacheEntry>& cached = set.entries[set.next];
  if (cached == nullptr) cached = std::make_unique<DispatchCacheEntry>();
  set.next = (set.next + 1) % Table::kWays;
  cached->key_ = key;
  return cached.get();
}

}  // namespace switchyard::phi::dispatch

// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/dispatch_cache.h"

#include <cstddef>
#include <memory>

namespace switchyard::phi::dispatch {

// Memos by operator: some ways each, for the shapes that take turns.
struct DispatchCacheEntry::Table {
  static constexpr size_t kPlaces = 64;
  static constexpr size_t kWays = 8;
  struct Ways {
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

  Ways& GetWays(const OpInfo* op) {
    return ways[(reinterpret_cast<uintptr_t>(op) / sizeof(OpInfo)) % kPlaces];
  }

  Ways ways[kPlaces];
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
  if (table == nullptr || !key.complete()) return nullptr;
  for (const std::unique_ptr<DispatchCacheEntry>& cached :
       table->GetWays(key.op()).entries) {
    if (cached == nullptr) return nullptr;
    if (cached->key_ == key) return cached.get();
  }
  return nullptr;
}

DispatchCacheEntry* DispatchCacheEntry::Insert(const DispatchCacheKey& key,
                                               size_t outputs) {
  if (!key.complete() || outputs > kMaxOutputs) return nullptr;
  Table* const table = Table::Made();
  if (table == nullptr) return nullptr;
  Table::Ways& ways = table->GetWays(key.op());
  std::unique_ptr<DispatchCacheEntry>& cached = ways.entries[ways.next];
  if (cached == nullptr) cached = std::make_unique<DispatchCacheEntry>();
  ways.next = (ways.next + 1) % Table::kWays;
  cached->key_ = key;
  return cached.get();
}

}  // namespace switchyard::phi::dispatch

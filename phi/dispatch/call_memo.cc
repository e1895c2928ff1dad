// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/call_memo.h"

#include <cstddef>
#include <memory>

namespace switchyard::phi::dispatch {

// Memos by operator: some ways each, for the shapes that take turns.
struct CallMemo::Table {
  static constexpr size_t kPlaces = 64;
  static constexpr size_t kWays = 8;
  struct Ways {
    std::unique_ptr<CallMemo> memos[kWays];  // Those in use come first.
    size_t next = 0;                         // The one to be replaced.
  };

  // This thread's; null if it has remembered nothing.
  static Table*& Current() {
    static thread_local Table* table = nullptr;
    return table;
  }
  // Returns the thread's table, which it makes first if need be; null at the
  // thread's end.
  static Table* Made();

  Ways& WaysOf(const OpInfo* op) {
    return ways[(reinterpret_cast<uintptr_t>(op) / sizeof(OpInfo)) % kPlaces];
  }

  Ways ways[kPlaces];
};

CallMemo::Table* CallMemo::Table::Made() {
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

const CallMemo* CallMemo::Find(const CallKey& key) {
  Table* const table = Table::Current();
  if (table == nullptr || !key.complete()) return nullptr;
  for (const std::unique_ptr<CallMemo>& memo : table->WaysOf(key.op()).memos) {
    if (memo == nullptr) return nullptr;
    if (memo->key_ == key) return memo.get();
  }
  return nullptr;
}

CallMemo* CallMemo::Remember(const CallKey& key, size_t outputs) {
  if (!key.complete() || outputs > kMostOutputs) return nullptr;
  Table* const table = Table::Made();
  if (table == nullptr) return nullptr;
  Table::Ways& ways = table->WaysOf(key.op());
  std::unique_ptr<CallMemo>& memo = ways.memos[ways.next];
  if (memo == nullptr) memo = std::make_unique<CallMemo>();
  ways.next = (ways.next + 1) % Table::kWays;
  memo->key_ = key;
  return memo.get();
}

}  // namespace switchyard::phi::dispatch

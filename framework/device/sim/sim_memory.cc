// SPDX-License-Identifier: Apache-2.0
#include "framework/device/sim/sim_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

namespace switchyard {
namespace {

constexpr size_t kAlignment = 64;

// The simulated device is for tests: without its memory there is none.
char* MappedOrExit(int file, int protection) {
  void* const address =
      mmap(nullptr, SimArena::kBytes, protection, MAP_SHARED, file, 0);
  if (address != MAP_FAILED) return static_cast<char*>(address);
  std::perror("sim: mmap");
  std::abort();
}

}  // namespace

SimArena& SimArena::Get() {
  static auto* const arena = new SimArena();
  return *arena;
}

SimArena::SimArena() {
  const int file = memfd_create("switchyard_sim", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, kBytes) != 0) {
    std::perror("sim: memfd_create");
    std::abort();
  }
  device_ = MappedOrExit(file, PROT_NONE);
  alias_ = MappedOrExit(file, PROT_READ | PROT_WRITE);
  close(file);  // The mappings keep the memory.
  gaps_[0] = kBytes;
}

absl::StatusOr<void*> SimArena::Allocate(size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t most = kBytes - kAlignment;
  const size_t size =
      (std::clamp(bytes, size_t{1}, most) + kAlignment - 1) & -kAlignment;
  const auto gap =
      std::find_if(gaps_.begin(), gaps_.end(),
                   [size](const auto& entry) { return entry.second >= size; });
  if (bytes > most || gap == gaps_.end()) {
    return SizeError("tensor", "small enough for the memory of sim",
                     std::to_string(bytes) + " bytes");
  }
  const auto [offset, left] = *gap;
  gaps_.erase(gap);
  if (left > size) gaps_[offset + size] = left - size;
  blocks_[offset] = size;
  std::memset(alias_ + offset, kPattern, size);
  return device_ + offset;
}

void SimArena::Free(void* block) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto freed =
      blocks_.find(static_cast<size_t>(static_cast<char*>(block) - device_));
  if (freed == blocks_.end()) return;
  auto gap = gaps_.insert(*freed).first;
  blocks_.erase(freed);
  const auto next = std::next(gap);
  if (next != gaps_.end() && gap->first + gap->second == next->first) {
    gap->second += next->second;
    gaps_.erase(next);
  }
  if (gap == gaps_.begin()) return;
  const auto before = std::prev(gap);
  if (before->first + before->second != gap->first) return;
  before->second += gap->second;
  gaps_.erase(gap);
}

void* SimArena::Alias(const void* address) const {
  return alias_ + (static_cast<const char*>(address) - device_);
}

const void* SimArena::FindBlock(const void* address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto offset =
      static_cast<size_t>(static_cast<const char*>(address) - device_);
  auto block = blocks_.upper_bound(offset);
  if (block == blocks_.begin()) return address;
  --block;
  const bool inside = offset < block->first + block->second;
  return inside ? device_ + block->first : address;
}

}  // namespace switchyard

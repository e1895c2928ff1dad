// SPDX-License-Identifier: Apache-2.0
#include "framework/memory/buffer_watch.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "framework/base/hash_map.h"

namespace switchyard {
namespace {

struct Watched {
  int views = 0;  // Outside views that live.
  std::vector<std::atomic<bool>*> watches;
};

// The buffers that have outside views or are watched, and nothing else.
struct Registry {
  std::mutex mutex;
  HashMap<const Buffer*, Watched> buffers;  // Guarded by mutex.
};

Registry& TheRegistry() {
  static auto* const registry = new Registry();
  return *registry;
}

void EraseIfIdle(Registry& registry, const Buffer* buffer) {
  const auto found = registry.buffers.find(buffer);
  if (found == registry.buffers.end() || found->second.views > 0 ||
      !found->second.watches.empty()) {
    return;
  }
  registry.buffers.erase(found);
}

}  // namespace

OutsideView::OutsideView(const Buffer* buffer) : buffer_(buffer) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  Watched& watched = registry.buffers[buffer_];
  ++watched.views;
  for (std::atomic<bool>* seen : watched.watches) {
    seen->store(true, std::memory_order_relaxed);
  }
}

OutsideView::~OutsideView() {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  --registry.buffers.find(buffer_)->second.views;
  EraseIfIdle(registry, buffer_);
}

BufferWatch::BufferWatch(RefPtr<Buffer> buffer)
    : buffer_(std::move(buffer)), version_(buffer_->version()) {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  Watched& watched = registry.buffers[buffer_.get()];
  watched.watches.push_back(&seen_);
  if (watched.views > 0) seen_.store(true, std::memory_order_relaxed);
}

BufferWatch::~BufferWatch() {
  Registry& registry = TheRegistry();
  const std::lock_guard<std::mutex> lock(registry.mutex);
  std::vector<std::atomic<bool>*>& watches =
      registry.buffers.find(buffer_.get())->second.watches;
  watches.erase(std::find(watches.begin(), watches.end(), &seen_));
  EraseIfIdle(registry, buffer_.get());
}

}  // namespace switchyard

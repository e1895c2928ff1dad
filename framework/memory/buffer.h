// SPDX-License-Identifier: Apache-2.0
// Buffer: a block of memory at a place, and Allocator, which makes it. The
// caching CPU allocator is framework/memory/cpu_allocator.h.
#ifndef SWITCHYARD_FRAMEWORK_MEMORY_BUFFER_H_
#define SWITCHYARD_FRAMEWORK_MEMORY_BUFFER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "framework/base/status.h"
#include "framework/memory/ref_ptr.h"
#include "framework/types/place.h"

namespace switchyard {

class Buffer;
class BufferUse;  // framework/device/buffer_use.h

// Makes and takes back Buffers. Thread-safe. An allocator outlives its buffers.
class Allocator {
 public:
  virtual ~Allocator() = default;
  // Returns a block of at least `bytes` bytes, contents unspecified.
  // ResourceExhausted if there is no memory; never ends the process.
  virtual absl::StatusOr<RefPtr<Buffer>> Allocate(size_t bytes) = 0;
  virtual Place place() const = 0;

 private:
  friend class Buffer;
  // Takes back a buffer of Allocate() when its last reference has gone.
  virtual void Deallocate(Buffer* buffer) = 0;
};

// A block of memory at a place, shared by the tensors that view it. The count
// of references is thread-safe; users synchronise access to the bytes. A Buffer
// and its bytes are one allocation on the CPU: the header stands in the 64
// bytes before the (64-byte aligned) data. Also wraps memory of others (an
// array of NumPy, a DLPack capsule) with a release function.
class Buffer {
 public:
  Buffer(Allocator* allocator, void* data, size_t size, Place place)
      : allocator_(allocator), data_(data), size_(size), place_(place) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // Returns a buffer over memory that somebody else owns; `release(context)`
  // runs when the last reference goes.
  static RefPtr<Buffer> Wrap(void* data, size_t size, Place place,
                             void (*release)(void*), void* context);

  void* data() const { return data_; }
  size_t size() const { return size_; }
  Place place() const { return place_; }
  bool unique() const { return count_.load(std::memory_order_acquire) == 1; }

  // Returns the number of writes by in-place operators: what autograd saved is
  // stale if the version has grown. Views share it because they share the
  // Buffer.
  uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  void BumpVersion() { version_.fetch_add(1, std::memory_order_relaxed); }

  // Returns the work of streams that reads and writes the bytes. Null where no
  // work outlives the call that starts it: on the host. The allocators of other
  // devices set it and own it; a piece of a buffer shares it.
  BufferUse* use() const { return use_; }
  void set_use(BufferUse* use) { use_ = use; }

  void Ref() { count_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    // The only owner is alone with it: no locked instruction is needed.
    if (unique() || count_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      Destroy();
    }
  }

 private:
  void Destroy();

  std::atomic<int32_t> count_{1};
  std::atomic<uint32_t> version_{0};
  Allocator* allocator_;  // Null for wrapped memory.
  void* data_;
  size_t size_;
  void (*release_)(void*) = nullptr;
  void* release_context_ = nullptr;
  BufferUse* use_ = nullptr;
  Place place_;
};

static_assert(sizeof(Buffer) <= 64, "stands in the 64 bytes before the data");

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_MEMORY_BUFFER_H_

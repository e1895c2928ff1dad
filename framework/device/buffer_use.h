// SPDX-License-Identifier: Apache-2.0
// BufferUse: which work of streams reads and writes the bytes of a Buffer
// (Buffer::use()). Later work, the host, and the code that frees the memory
// wait for it. StreamWork (stream_work.h) keeps it.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_BUFFER_USE_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_BUFFER_USE_H_

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "framework/device/stream.h"
#include "framework/memory/buffer.h"

namespace switchyard {

// The last write of a buffer's bytes, and the reads since then. Thread-safe.
class BufferUse {
 public:
  // Returns the event after the last write; null if there was none.
  RefPtr<Event> writer() const;
  // Returns the events after the reads since the last write.
  std::vector<RefPtr<Event>> readers() const;

  void SetWriter(RefPtr<Event> event);
  void AddReader(RefPtr<Event> event);
  // Forgets all: the host has waited, and the bytes are good.
  void Clear();

  // Returns true if no work that touches the bytes is pending.
  bool idle() const;
  // Waits for the last write, or for all. Returns the write's failure, or null.
  std::shared_ptr<StreamFailure> JoinWriter() const;
  std::shared_ptr<StreamFailure> Join() const;

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  RefPtr<Event> writer_;
  std::vector<RefPtr<Event>> readers_;  // One of each stream, the last.
};

// Keeps buffers that nobody refers to any longer until the work on them is
// done: memory is freed in the order of the streams. Allocators of devices have
// one each. Thread-safe.
class DeferredFrees {
 public:
  // Takes a buffer that has a use(). Returns false, and takes nothing, if no
  // work on it is pending.
  bool Keep(Buffer* buffer);
  // Hands buffers whose work is done to `free`, in the order in which they
  // came: up to the first that is pending, or all, for which it waits.
  void Reclaim(bool wait, absl::FunctionRef<void(Buffer*)> free);

 private:
  std::mutex mutex_;
  std::deque<Buffer*> kept_;  // Guarded by mutex_.
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_BUFFER_USE_H_

// SPDX-License-Identifier: Apache-2.0
// BufferWatch and OutsideView: who else may write a buffer. A buffer's version
// counts the writes of operators (framework/memory/buffer.h); writes through an
// array of NumPy or another library's tensor over the same memory count
// nowhere. Code that keeps something computed from a buffer's bytes watches it:
// once an outside view has been there, what is kept may be stale.
#ifndef SWITCHYARD_FRAMEWORK_MEMORY_BUFFER_WATCH_H_
#define SWITCHYARD_FRAMEWORK_MEMORY_BUFFER_WATCH_H_

#include <atomic>
#include <cstdint>
#include <utility>

#include "framework/memory/buffer.h"
#include "framework/memory/ref_ptr.h"

namespace switchyard {

// Says, for as long as it lives, that code outside of the project may write the
// bytes of a buffer. Its holder keeps the buffer alive. Thread-safe.
class OutsideView {
 public:
  // Marks each watch of the buffer.
  explicit OutsideView(const Buffer* buffer);
  ~OutsideView();
  OutsideView(const OutsideView&) = delete;
  OutsideView& operator=(const OutsideView&) = delete;

 private:
  const Buffer* buffer_;
};

// A buffer that code outside of the project holds, and may write.
struct LentBuffer {
  explicit LentBuffer(RefPtr<Buffer> held)
      : buffer(std::move(held)), view(buffer.get()) {}

  const RefPtr<Buffer> buffer;
  const OutsideView view;
};

// Watches a buffer, which it keeps alive, from its version at the beginning on.
// Thread-safe. To ask takes two loads.
class BufferWatch {
 public:
  explicit BufferWatch(RefPtr<Buffer> buffer);
  ~BufferWatch();
  BufferWatch(const BufferWatch&) = delete;
  BufferWatch& operator=(const BufferWatch&) = delete;

  const RefPtr<Buffer>& buffer() const { return buffer_; }
  // Returns true if the bytes are those of the beginning: no operator has
  // written them since, and there was no outside view, then or since.
  bool unchanged() const {
    return buffer_->version() == version_ &&
           !seen_.load(std::memory_order_relaxed);
  }

 private:
  friend class OutsideView;

  const RefPtr<Buffer> buffer_;
  const uint32_t version_;
  std::atomic<bool> seen_{false};  // By an outside view.
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_MEMORY_BUFFER_WATCH_H_

// SPDX-License-Identifier: Apache-2.0
#include "framework/memory/buffer.h"

namespace switchyard {

RefPtr<Buffer> Buffer::Wrap(void* data, size_t size, Place place,
                            void (*release)(void*), void* context) {
  auto* buffer = new Buffer(nullptr, data, size, place);
  buffer->release_ = release;
  buffer->release_context_ = context;
  return RefPtr<Buffer>::Adopt(buffer);
}

void Buffer::Destroy() {
  if (allocator_ != nullptr) {
    allocator_->Deallocate(this);
    return;
  }
  if (release_ != nullptr) release_(release_context_);
  delete this;
}

}  // namespace switchyard

// SPDX-License-Identifier: Apache-2.0
#include "framework/device/buffer_use.h"

#include <algorithm>
#include <utility>

namespace switchyard {

RefPtr<Event> BufferUse::writer() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return writer_;
}

std::vector<RefPtr<Event>> BufferUse::readers() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return readers_;
}

void BufferUse::SetWriter(RefPtr<Event> event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  writer_ = std::move(event);
  readers_.clear();
}

void BufferUse::AddReader(RefPtr<Event> event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (RefPtr<Event>& reader : readers_) {
    if (reader->stream() != event->stream()) continue;
    reader = std::move(event);
    return;
  }
  readers_.push_back(std::move(event));
}

void BufferUse::Clear() { SetWriter(nullptr); }

bool BufferUse::idle() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (writer_ && !writer_->reached()) return false;
  return std::all_of(readers_.begin(), readers_.end(),
                     [](const auto& reader) { return reader->reached(); });
}

std::shared_ptr<StreamFailure> BufferUse::JoinWriter() const {
  const RefPtr<Event> event = writer();
  return event ? event->Join() : nullptr;
}

std::shared_ptr<StreamFailure> BufferUse::Join() const {
  for (const RefPtr<Event>& reader : readers()) reader->Join();
  return JoinWriter();
}

bool DeferredFrees::Keep(Buffer* buffer) {
  if (buffer->use()->idle()) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  kept_.push_back(buffer);
  return true;
}

void DeferredFrees::Reclaim(bool wait, absl::FunctionRef<void(Buffer*)> free) {
  const std::lock_guard<std::mutex> lock(mutex_);
  while (!kept_.empty()) {
    Buffer* const buffer = kept_.front();
    if (wait) {
      buffer->use()->Join();
    } else if (!buffer->use()->idle()) {
      return;
    }
    kept_.pop_front();
    free(buffer);
  }
}

}  // namespace switchyard

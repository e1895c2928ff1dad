// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/call_stream.h"

#include <utility>

namespace switchyard::collective {
namespace {

// How often a thread that waits asks whether it shall go on.
constexpr std::chrono::milliseconds kLook{50};

}  // namespace

CallStream::CallStream(Group& group, Window window,
                       std::function<absl::Status()> while_waiting)
    : group_(group),
      window_(window),
      while_waiting_(std::move(while_waiting)) {}

CallStream::~CallStream() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
    queue_.clear();
  }
  given_.notify_all();
  if (thread_.joinable()) thread_.join();
}

template <typename Ready>
absl::Status CallStream::WaitUntil(std::unique_lock<std::mutex>& lock,
                                   Ready ready) {
  while (!done_.wait_for(lock, kLook, ready)) {
    if (!while_waiting_) continue;
    lock.unlock();
    const absl::Status goes_on = while_waiting_();
    lock.lock();
    SY_RETURN_IF_ERROR(goes_on);
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> CallStream::Give(Call call, uint64_t bytes,
                                          Body body) {
  std::unique_lock<std::mutex> lock(mutex_);
  // A call that is larger than the window waits until it is alone.
  SY_RETURN_IF_ERROR(WaitUntil(lock, [&] {
    return given_count_ == done_count_ ||
           (given_count_ - done_count_ < window_.calls &&
            waiting_bytes_ + bytes <= window_.bytes);
  }));
  Pending pending;
  pending.record.call = std::move(call);
  pending.record.bytes = bytes;
  pending.record.given = Clock::now();
  pending.body = std::move(body);
  queue_.push_back(std::move(pending));
  waiting_bytes_ += bytes;
  if (!thread_.joinable()) thread_ = std::thread([this] { Work(); });
  given_.notify_one();
  return ++given_count_;
}

void CallStream::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    given_.wait(lock, [this] { return ends_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Pending pending = std::move(queue_.front());
    queue_.pop_front();
    if (failed_at_ == 0) {
      lock.unlock();
      pending.record.begun = Clock::now();
      const absl::Status status = pending.body(group_);
      pending.record.ended = Clock::now();
      const bool group_failed = !group_.status().ok();
      pending.body = nullptr;
      lock.lock();
      group_failed_ = group_failed;
      if (!status.ok()) {
        failed_at_ = done_count_ + 1;
        failure_ = status;
      }
      Note(pending.record);
    }
    waiting_bytes_ -= pending.record.bytes;
    ++done_count_;
    done_.notify_all();
  }
}

absl::Status CallStream::Wait(uint64_t ticket) {
  std::unique_lock<std::mutex> lock(mutex_);
  SY_RETURN_IF_ERROR(WaitUntil(lock, [&] { return done_count_ >= ticket; }));
  if (failed_at_ != 0 && ticket >= failed_at_) return failure_;
  return absl::OkStatus();
}

absl::Status CallStream::Run(Call call, uint64_t bytes, const Body& body) {
  Record record;
  record.call = std::move(call);
  record.bytes = bytes;
  record.inline_call = true;
  record.given = Clock::now();
  {
    std::unique_lock<std::mutex> lock(mutex_);
    const uint64_t before = given_count_;
    SY_RETURN_IF_ERROR(WaitUntil(lock, [&] { return done_count_ >= before; }));
    if (failed_at_ != 0) return failure_;
  }
  record.begun = Clock::now();
  const absl::Status status = body(group_);
  record.ended = Clock::now();
  const bool group_failed = !group_.status().ok();
  const std::lock_guard<std::mutex> lock(mutex_);
  group_failed_ = group_failed;
  Note(std::move(record));
  return status;
}

bool CallStream::failed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failed_at_ != 0 || group_failed_;
}

void CallStream::StartTrace() {
  const std::lock_guard<std::mutex> lock(mutex_);
  tracing_ = true;
  trace_.clear();
}

std::vector<CallStream::Record> CallStream::TakeTrace() {
  const std::lock_guard<std::mutex> lock(mutex_);
  tracing_ = false;
  return std::exchange(trace_, {});
}

void CallStream::Note(Record record) {
  if (tracing_) trace_.push_back(std::move(record));
}

}  // namespace switchyard::collective

// SPDX-License-Identifier: Apache-2.0
#include "framework/device/stream.h"

#include <deque>
#include <utility>
#include <vector>

namespace switchyard {
namespace {

// Work that a thread has given and does not know to be done.
class IssuedWork {
 public:
  void Add(uint64_t stream, RefPtr<Event> event) {
    issued_.push_back({stream, std::move(event)});
    // Finished work leaves as fast as work comes.
    for (int i = 0; i < 2 && issued_.front().event->reached(); ++i) {
      TakeFront();
      if (issued_.empty()) break;
    }
  }

  // Waits for the work of `stream`, or of all (0). Returns the first failure
  // that was not reported.
  absl::Status Synchronize(uint64_t stream) {
    std::deque<Issued> others;
    while (!issued_.empty()) {
      if (stream == 0 || issued_.front().stream == stream) {
        TakeFront();
      } else {
        others.push_back(std::move(issued_.front()));
        issued_.pop_front();
      }
    }
    issued_ = std::move(others);
    std::shared_ptr<StreamFailure> first;
    std::vector<Failed> left;
    for (Failed& failed : failed_) {
      if (stream != 0 && failed.stream != stream) {
        left.push_back(std::move(failed));
      } else if (!failed.failure->reported.exchange(true) && first == nullptr) {
        first = std::move(failed.failure);
      }
    }
    failed_ = std::move(left);
    return Report(first);
  }

 private:
  struct Issued {
    uint64_t stream;
    RefPtr<Event> event;
  };
  struct Failed {
    uint64_t stream;
    std::shared_ptr<StreamFailure> failure;
  };

  void TakeFront() {
    const uint64_t stream = issued_.front().stream;
    std::shared_ptr<StreamFailure> failure = issued_.front().event->Join();
    issued_.pop_front();
    if (failure == nullptr || failure->reported) return;
    failed_.push_back({stream, std::move(failure)});
  }

  std::deque<Issued> issued_;
  std::vector<Failed> failed_;  // Not reported.
};

// The streams of a thread for one place.
struct ThreadStreams {
  Place place;
  RefPtr<Stream> own;
  RefPtr<Stream> current;  // Null: its own.
  RefPtr<Stream> transfers;
  IssuedWork issued;
};

ThreadStreams& StreamsOfThread(Place place) {
  // Pointers, so that entries stay where they are.
  thread_local std::vector<std::unique_ptr<ThreadStreams>> all;
  for (const auto& streams : all) {
    if (streams->place == place) return *streams;
  }
  all.push_back(std::make_unique<ThreadStreams>());
  all.back()->place = place;
  return *all.back();
}

absl::StatusOr<Stream*> Ensured(Place place, RefPtr<Stream>* stream) {
  if (!*stream) {
    SY_ASSIGN_OR_RETURN(*stream, Stream::Make(place));
  }
  return stream->get();
}

uint64_t NextNumber() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

bool IsAsynchronous(Place place) {
  const DeviceInfo* const device = FindDevice(place.type);
  return device != nullptr && device->streams != nullptr;
}

Event::~Event() { device_.streams->destroy_event(index_, handle_); }

bool Event::reached() const {
  if (reached_.load(std::memory_order_acquire)) return true;
  if (!device_.streams->reached(index_, handle_)) return false;
  reached_.store(true, std::memory_order_release);
  return true;
}

std::shared_ptr<StreamFailure> Event::Join() const {
  std::shared_ptr<StreamFailure> failure =
      device_.streams->join(index_, handle_);
  reached_.store(true, std::memory_order_release);
  return failure;
}

absl::Status Event::Wait() const { return Report(Join()); }

absl::Status Report(const std::shared_ptr<StreamFailure>& failure) {
  if (failure == nullptr) return absl::OkStatus();
  failure->reported = true;
  return failure->status;
}

absl::StatusOr<RefPtr<Stream>> Stream::Make(Place place) {
  const DeviceInfo* const device = FindDevice(place.type);
  if (device == nullptr || device->streams == nullptr) {
    return absl::FailedPreconditionError(
        "place must be of a device with streams, got " + ToString(place));
  }
  SY_RETURN_IF_ERROR(device->check(place.index));
  SY_ASSIGN_OR_RETURN(void* const handle, device->streams->create(place.index));
  return RefPtr<Stream>::Adopt(new Stream(*device, place, handle));
}

Stream::Stream(const DeviceInfo& device, Place place, void* handle)
    : device_(device), place_(place), handle_(handle), number_(NextNumber()) {}

Stream::~Stream() { device_.streams->destroy(place_.index, handle_); }

absl::StatusOr<Stream*> Stream::Current(Place place) {
  ThreadStreams& streams = StreamsOfThread(place);
  if (streams.current) return streams.current.get();
  return Ensured(place, &streams.own);
}

absl::StatusOr<Stream*> Stream::OfTransfers(Place place) {
  return Ensured(place, &StreamsOfThread(place).transfers);
}

absl::StatusOr<RefPtr<Event>> Stream::Record() {
  SY_ASSIGN_OR_RETURN(void* const event,
                      device_.streams->record(place_.index, handle_));
  return RefPtr<Event>::Adopt(new Event(device_, place_.index, number_, event));
}

absl::Status Stream::Wait(const Event& event) {
  if (&event.device() != &device_) {
    event.Join();
    return absl::OkStatus();
  }
  return device_.streams->wait(place_.index, handle_, event.handle());
}

void Stream::Require(const Event& event) {
  if (device_.streams->require == nullptr || &event.device() != &device_) {
    return;
  }
  device_.streams->require(place_.index, handle_, event.handle());
}

void Stream::RequireNothing() {
  if (device_.streams->require == nullptr) return;
  device_.streams->require(place_.index, handle_, nullptr);
}

absl::Status Stream::Synchronize() {
  SY_ASSIGN_OR_RETURN(const RefPtr<Event> event, Record());
  const absl::Status status =
      StreamsOfThread(place_).issued.Synchronize(number_);
  const std::shared_ptr<StreamFailure> failure = event->Join();
  return status.ok() ? Report(failure) : status;
}

RefPtr<Event> Stream::CloseChain() {
  chained_ = false;
  return std::exchange(last_, nullptr);
}

void Stream::Note(const RefPtr<Event>& event) {
  if (chained_) last_ = event;
  StreamsOfThread(place_).issued.Add(number_, event);
}

RefPtr<Stream> SetCurrentStream(Place place, RefPtr<Stream> stream) {
  return std::exchange(StreamsOfThread(place).current, std::move(stream));
}

StreamScope::StreamScope(RefPtr<Stream> stream) : place_(stream->place()) {
  before_ = SetCurrentStream(place_, std::move(stream));
}

StreamScope::~StreamScope() { SetCurrentStream(place_, std::move(before_)); }

absl::Status Synchronize(Place place) {
  if (!IsAsynchronous(place)) return absl::OkStatus();
  return StreamsOfThread(place).issued.Synchronize(0);
}

}  // namespace switchyard

// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/thread_transport.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "framework/collective/world_link.h"

namespace switchyard::collective {
namespace {

using Clock = std::chrono::steady_clock;

// SplitMix64's last step.
uint64_t Mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

using Link = WorldLink<ThreadWorld>;

absl::StatusOr<void*> Connect(const LinkOptions& options) {
  return new Link{static_cast<ThreadWorld*>(options.medium), options.rank};
}

absl::StatusOr<void*> ISend(void* link, int peer, uint32_t tag,
                            const void* data, size_t size) {
  const Link& own = Link::Of(link);
  auto request = std::make_unique<Link::Request>();
  SY_RETURN_IF_ERROR(own.world->Send(own.rank, peer, tag, data, size));
  return request.release();
}

absl::StatusOr<bool> Test(void* link, void* request) {
  return Link::TestOf(link, request, [](const Link::Request&) {});
}

void Wait(void* link, int microseconds) {
  Link::Of(link).world->WaitFor(std::chrono::microseconds(microseconds));
}

}  // namespace

const TransportInfo kThreadTransport = {
    "thread", nullptr,       &Connect, &ISend,       &Link::IRecv,
    &Test,    &Link::Cancel, &Wait,    &Link::Close, nullptr,
};

void ThreadWorld::Kill(int rank) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ranks_[rank].killed = true;
  changed_.notify_all();
}

void ThreadWorld::Freeze(int rank) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ranks_[rank].frozen = true;
}

void ThreadWorld::Leave(int rank) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ranks_[rank].left = true;
  changed_.notify_all();
}

int64_t ThreadWorld::messages() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  int64_t count = 0;
  for (const Rank& rank : ranks_) count += static_cast<int64_t>(rank.sent);
  return count;
}

int64_t ThreadWorld::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  int64_t count = 0;
  for (const Rank& rank : ranks_) count += rank.sent_bytes;
  return count;
}

absl::Status ThreadWorld::Send(int from, int to, uint32_t tag, const void* data,
                               size_t size) {
  const char* bytes = static_cast<const char*>(data);
  Message message{from, tag, Clock::now(), {bytes, bytes + size}};
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ranks_[from].killed) return absl::AbortedError("was killed");
  const uint64_t number = ranks_[from].sent++;
  ranks_[from].sent_bytes += static_cast<int64_t>(size);
  if (ranks_[from].frozen) return absl::OkStatus();
  if (longest_delay_.count() > 0) {
    const uint64_t drawn =
        Mixed(Mixed(Mixed(seed_ + 1) + static_cast<uint64_t>(from) * 1024 +
                    static_cast<uint64_t>(to)) +
              number);
    message.due += std::chrono::microseconds(
        drawn % static_cast<uint64_t>(longest_delay_.count() + 1));
  }
  ranks_[to].waiting.push_back(std::move(message));
  changed_.notify_all();
  return absl::OkStatus();
}

absl::StatusOr<bool> ThreadWorld::TryReceive(int from, int to, uint32_t tag,
                                             void* data, size_t size) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ranks_[to].killed) return absl::AbortedError("was killed");
  std::vector<Message>& waiting = ranks_[to].waiting;
  const auto found =
      std::find_if(waiting.begin(), waiting.end(), [&](const Message& message) {
        return message.from == from && message.tag == tag;
      });
  if (found == waiting.end()) {
    if (ranks_[from].killed || ranks_[from].left) {
      return absl::UnavailableError("closed the connection");
    }
    return false;
  }
  if (found->due > Clock::now()) return false;
  if (found->bytes.size() != size) {
    return absl::InternalError("sent a message of another size");
  }
  if (size > 0) std::memcpy(data, found->bytes.data(), size);
  waiting.erase(found);
  return true;
}

void ThreadWorld::WaitFor(std::chrono::microseconds time) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, time);
}

}  // namespace switchyard::collective

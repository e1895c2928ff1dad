// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/model_transport.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/collective/world_link.h"

namespace switchyard::collective {
namespace {

using Link = WorldLink<ModelWorld>;

absl::StatusOr<void*> Connect(const LinkOptions& options) {
  auto* const world = static_cast<ModelWorld*>(options.medium);
  world->Enter(options.rank);
  return new Link{world, options.rank};
}

absl::StatusOr<void*> ISend(void* link, int peer, uint32_t tag,
                            const void* data, size_t size) {
  const Link& own = Link::Of(link);
  const double sent = own.world->Send(own.rank, peer, tag, data, size);
  return new Link::Request{false, peer, tag, nullptr, size, sent};
}

absl::StatusOr<bool> Test(void* link, void* request) {
  const Link& own = Link::Of(link);
  return Link::TestOf(link, request, [&](const Link::Request& message) {
    own.world->Advance(own.rank, message.sent);
  });
}

void Wait(void* link, int microseconds) {
  (void)microseconds;
  const Link& own = Link::Of(link);
  own.world->Yield(own.rank);
}

uint64_t KeyOf(int from, uint32_t tag) {
  return static_cast<uint64_t>(from) << 32 | tag;
}

}  // namespace

const TransportInfo kModelTransport = {
    "model",
    nullptr,
    &Connect,
    &ISend,
    &Link::IRecv,
    &Test,
    &Link::Cancel,
    &Wait,
    &Link::Close,
    nullptr,
    /*moves_data=*/false,
};

absl::StatusOr<std::unique_ptr<ModelWorld>> ModelWorld::Make(
    int size, const ModelNetwork& network, size_t bytes) {
  const size_t mapped = std::max<size_t>(bytes, 1);
  void* const tensor = mmap(nullptr, mapped, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (tensor == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no addresses for a tensor of ", bytes, " bytes"));
  }
  return std::unique_ptr<ModelWorld>(
      new ModelWorld(size, network, tensor, mapped));
}

ModelWorld::~ModelWorld() { munmap(tensor_, tensor_bytes_); }

double ModelWorld::seconds() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  double latest = 0;
  for (const Rank& rank : ranks_) latest = std::max(latest, rank.clock);
  return latest;
}

int64_t ModelWorld::messages() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return messages_;
}

int64_t ModelWorld::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

void ModelWorld::Enter(int rank) {
  std::unique_lock<std::mutex> lock(mutex_);
  ranks_[rank].turn.wait(lock, [&] { return turn_ == rank; });
}

void ModelWorld::Yield(int rank) {
  std::unique_lock<std::mutex> lock(mutex_);
  PassTurn(rank);
  ranks_[rank].turn.wait(lock, [&] { return turn_ == rank; });
}

void ModelWorld::Leave(int rank) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ranks_[rank].left = true;
  if (turn_ == rank) PassTurn(rank);
}

void ModelWorld::PassTurn(int rank) {
  const int size = static_cast<int>(ranks_.size());
  for (int i = 1; i <= size; ++i) {
    const int next = (rank + i) % size;
    if (ranks_[next].left) continue;
    turn_ = next;
    ranks_[next].turn.notify_one();
    return;
  }
}

bool ModelWorld::IsOfTensor(const void* data) const {
  // A null pointer is where a part of a tensor is received.
  const char* const begin = static_cast<const char*>(tensor_);
  const char* const end = begin + tensor_bytes_;
  const char* const at = static_cast<const char*>(data);
  return at == nullptr || (std::greater_equal<const char*>()(at, begin) &&
                           std::less_equal<const char*>()(at, end));
}

double ModelWorld::Send(int from, int to, uint32_t tag, const void* data,
                        size_t size) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool near = from / network_.ranks_a_host == to / network_.ranks_a_host;
  const LinkCost& cost = near ? network_.within_host : network_.between_hosts;
  Rank& sender = ranks_[from];
  const double begun = std::max(sender.clock, sender.sends_from);
  sender.sends_from =
      begun + cost.overhead + static_cast<double>(size) * cost.per_byte;
  Message message{sender.sends_from + cost.latency, size, {}};
  if (!IsOfTensor(data)) {
    const char* const bytes = static_cast<const char*>(data);
    message.bytes.assign(bytes, bytes + size);
  }
  ranks_[to].waiting.emplace(KeyOf(from, tag), std::move(message));
  ++messages_;
  bytes_ += static_cast<int64_t>(size);
  return sender.sends_from;
}

absl::StatusOr<bool> ModelWorld::TryReceive(int from, int to, uint32_t tag,
                                            void* data, size_t size) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Rank& receiver = ranks_[to];
  const auto found = receiver.waiting.find(KeyOf(from, tag));
  if (found == receiver.waiting.end()) {
    if (ranks_[from].left) {
      return absl::UnavailableError("closed the connection");
    }
    return false;
  }
  const Message& message = found->second;
  if (message.size != size) {
    return absl::InternalError("sent a message of another size");
  }
  if (!message.bytes.empty()) {
    std::memcpy(data, message.bytes.data(), message.bytes.size());
  }
  receiver.clock = std::max(receiver.clock, message.arrives);
  receiver.waiting.erase(found);
  return true;
}

void ModelWorld::Advance(int rank, double time) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ranks_[rank].clock = std::max(ranks_[rank].clock, time);
}

}  // namespace switchyard::collective

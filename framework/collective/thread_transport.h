// SPDX-License-Identifier: Apache-2.0
// The transport "thread": ranks are threads of one process. Its medium is a
// ThreadWorld, which delays and reorders messages by a seed, and kills and
// freezes ranks: tests of everything above it need no other process.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_THREAD_TRANSPORT_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_THREAD_TRANSPORT_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "framework/collective/transport.h"

namespace switchyard::collective {

extern const TransportInfo kThreadTransport;

// Holds the messages that are on their way between threads. It outlives the
// links. Thread-safe.
class ThreadWorld {
 public:
  // A message is delivered up to `longest_delay` after it was sent: how long
  // follows from the seed, the two ranks and the number of the message.
  explicit ThreadWorld(int size, uint64_t seed = 0,
                       std::chrono::microseconds longest_delay = {})
      : longest_delay_(longest_delay), seed_(seed), ranks_(size) {}

  // From now on the rank's link fails, and those who wait for it hear that it
  // closed the connection.
  void Kill(int rank);
  // From now on nothing that the rank sends is delivered.
  void Freeze(int rank);
  // Return the number of messages that were sent so far, and of their bytes.
  int64_t messages() const;
  int64_t bytes() const;

  // For the transport.
  absl::Status Send(int from, int to, uint32_t tag, const void* data,
                    size_t size);
  absl::StatusOr<bool> TryReceive(int from, int to, uint32_t tag, void* data,
                                  size_t size);
  void WaitFor(std::chrono::microseconds time);
  // The rank has no link any more; what it sent is still delivered.
  void Leave(int rank);

 private:
  struct Message {
    int from;
    uint32_t tag;
    std::chrono::steady_clock::time_point due;
    std::vector<char> bytes;
  };
  struct Rank {
    std::vector<Message> waiting;  // For it.
    uint64_t sent = 0;
    int64_t sent_bytes = 0;
    bool killed = false;
    bool frozen = false;
    bool left = false;
  };

  const std::chrono::microseconds longest_delay_;
  const uint64_t seed_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Rank> ranks_;
};

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_THREAD_TRANSPORT_H_

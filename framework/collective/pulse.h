// SPDX-License-Identifier: Apache-2.0
// Pulses: whether a rank lives that does not call. A rank that waits asks, and
// a thread beside the program of the other one (PulseWatch), which loads data
// or compiles, answers. A rank that is stopped, dead or gone does not.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_PULSE_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_PULSE_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "framework/base/status.h"
#include "framework/collective/transport.h"

namespace switchyard::collective {

// The questions and answers of one rank over its link, which is used by one
// thread at a time. At most one question to each peer is under way.
class Pulses {
 public:
  using Clock = std::chrono::steady_clock;

  Pulses(const TransportInfo& transport, void* link, int size)
      : transport_(transport), link_(link), peers_(size) {}

  // Begins to hear the questions of a peer.
  absl::Status Listen(int peer);
  // Asks a peer, unless it has been asked and has not answered.
  void Ask(int peer);
  // Answers the questions that have come, and notes the answers.
  void Answer();
  // Returns when the peer last answered; the clock's beginning if never.
  Clock::time_point LastSign(int peer) const { return peers_[peer].last_sign; }
  // Ends all messages.
  void Cancel();

 private:
  // A message under way; its content does not matter.
  struct Message {
    void* request = nullptr;
    char byte = 0;
  };
  struct Peer {
    Message question, heard_question, answer, heard_answer;
    Clock::time_point last_sign;
  };

  // Returns true when the message is done; after an error it is gone.
  bool IsDone(Message& message);
  void Send(int peer, uint32_t tag, Message& message);
  absl::Status Receive(int peer, uint32_t tag, Message& message);

  const TransportInfo& transport_;
  void* const link_;
  std::vector<Peer> peers_;  // By rank.
};

// Calls a function in a thread of its own, some eight times a deadline.
class PulseWatch {
 public:
  PulseWatch() = default;
  ~PulseWatch() { Stop(); }
  PulseWatch(const PulseWatch&) = delete;
  PulseWatch& operator=(const PulseWatch&) = delete;

  void Start(std::chrono::milliseconds deadline, std::function<void()> look);
  void Stop();

 private:
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_PULSE_H_

// SPDX-License-Identifier: Apache-2.0
// CallStream: the collective calls of a group on a thread beside the one that
// makes them, so that ranks exchange gradients while they compute others.
//
//   CallStream stream(*group);
//   const uint64_t ticket = stream.Give(call, bytes, [&](Group& group) {
//     return AllReduce(group, call, tree, pieces, out);
//   });
//   ...  // Computes something else.
//   SY_RETURN_IF_ERROR(stream.Wait(ticket));
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_CALL_STREAM_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_CALL_STREAM_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "framework/base/status.h"
#include "framework/collective/group.h"

namespace switchyard::collective {

// Runs the calls of one group in the order in which they were given: that order
// is the same on all ranks. A thread of its own runs them from the first one on
// that is given; calls that are made inline wait for those before them. The
// group is used through the stream alone. One thread gives calls and waits; the
// functions for traces and failed() may be called on any.
//
// After the first call that fails none is run: each returns that error.
class CallStream {
 public:
  using Clock = std::chrono::steady_clock;
  using Body = std::function<absl::Status(Group& group)>;

  // How many calls, and bytes of them, wait at most: Give() blocks beyond.
  struct Window {
    size_t calls = 256;
    uint64_t bytes = uint64_t{1} << 28;
  };

  // One call of a trace.
  struct Record {
    Call call;
    uint64_t bytes = 0;
    bool inline_call = false;  // Made by the thread that waits for it.
    Clock::time_point given, begun, ended;
  };

  // `group` outlives the stream. `while_waiting` as of GroupOptions, for the
  // thread that waits; may be null.
  explicit CallStream(Group& group)
      : CallStream(group, Window(), /*while_waiting=*/nullptr) {}
  CallStream(Group& group, Window window,
             std::function<absl::Status()> while_waiting);
  // Waits for the call that runs; those after it are dropped.
  ~CallStream();
  CallStream(const CallStream&) = delete;
  CallStream& operator=(const CallStream&) = delete;

  // Gives a call to the stream and returns its ticket. What `body` uses stays
  // alive until Wait() of the ticket, or of a later one, has returned. `bytes`
  // counts for the window.
  absl::StatusOr<uint64_t> Give(Call call, uint64_t bytes, Body body);
  // Returns when the call is over, with its status.
  absl::Status Wait(uint64_t ticket);
  // Makes a call on this thread, after all that were given.
  absl::Status Run(Call call, uint64_t bytes, const Body& body);

  // Returns true after an error of a call that was given, or of the group.
  bool failed() const;
  // Begins to record calls; TakeTrace() ends it and returns the records in the
  // order in which the calls ended.
  void StartTrace();
  std::vector<Record> TakeTrace();

 private:
  struct Pending {
    Record record;
    Body body;
  };

  void Work();
  // Waits until `ready`, with `lock` held, and asks while_waiting_ meanwhile.
  template <typename Ready>
  absl::Status WaitUntil(std::unique_lock<std::mutex>& lock, Ready ready);
  void Note(Record record);

  Group& group_;
  const Window window_;
  const std::function<absl::Status()> while_waiting_;

  mutable std::mutex mutex_;
  std::condition_variable given_, done_;
  std::deque<Pending> queue_;
  uint64_t waiting_bytes_ = 0;  // Of the queue and of the call that runs.
  uint64_t given_count_ = 0;
  uint64_t done_count_ = 0;
  uint64_t failed_at_ = 0;  // The ticket of the first failure; 0: none.
  absl::Status failure_;
  bool group_failed_ = false;
  bool ends_ = false;
  bool tracing_ = false;
  std::vector<Record> trace_;
  std::thread thread_;  // Begins with the first call.
};

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_CALL_STREAM_H_

// SPDX-License-Identifier: Apache-2.0
// SimStream and SimEvent: a queue of work of the simulated device
// (sim_device.h), and a point in it that others wait for.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_STREAM_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_STREAM_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/sim/sim_accesses.h"

namespace switchyard {

// A piece of work: what it computes, and the blocks of the device (Buffer::
// data()) that it touches meanwhile.
struct SimTask {
  std::string op;  // Names the task in errors.
  std::vector<const void*> reads;
  std::vector<const void*> writes;
  // Runs on the stream's worker. Keeps alive what it needs.
  std::function<absl::Status()> run;
};

// A point in a stream's work. Made by SimStream::Record(); a plain handle.
class SimEvent {
 private:
  friend class SimStream;
  struct State {
    std::mutex mutex;
    std::condition_variable reached_changed;
    bool reached = false;  // Guarded by mutex.
    SimClock clock{};      // Never changes once recorded.
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

// Runs tasks one after another on a thread of its own. What the host has waited
// for comes before all that it enqueues afterwards; tasks of two streams are
// ordered by events alone. After a task has failed, later ones of the stream
// are skipped until Synchronize() has reported the error. Thread-safe.
class SimStream {
 public:
  // `number` is above 0 and below kMaxSimAgents, and no other stream has it.
  explicit SimStream(int number);
  // Waits for its work.
  ~SimStream();
  SimStream(const SimStream&) = delete;
  SimStream& operator=(const SimStream&) = delete;

  int number() const { return number_; }

  // Adds a task behind the others and returns at once. FailedPrecondition,
  // with nothing enqueued, if it touches memory that a task of another stream
  // touches and no wait orders the two.
  absl::Status Enqueue(SimTask task);

  // Marks the end of what is enqueued by now.
  SimEvent Record();
  // Lets later tasks of this stream wait for `event`, which may be of another.
  void Wait(const SimEvent& event);

  // Waits for all that is enqueued by now. Returns the first error since the
  // last call.
  absl::Status Synchronize();

 private:
  void Work();
  void Push(std::function<void()> step);

  const int number_;
  SimClock clock_{};  // Guarded by the device's lock (sim_stream.cc).
  std::mutex mutex_;
  std::condition_variable pushed_, finished_;
  // Guarded by mutex_.
  std::deque<std::function<void()>> queue_;
  bool busy_ = false;
  bool ends_ = false;
  absl::Status error_;
  std::thread worker_;
};

// Forgets who touched a block that was freed.
void ForgetSimBlock(const void* block);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_STREAM_H_

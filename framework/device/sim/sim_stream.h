// SPDX-License-Identifier: Apache-2.0
// SimStream and SimEvent: a queue of work of the simulated device
// (sim_device.h), and a point in it that others wait for.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_STREAM_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_STREAM_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "framework/base/status.h"
#include "framework/device/device_info.h"
#include "framework/device/sim/sim_accesses.h"

namespace switchyard {

// A piece of work: what it computes, and the blocks of the device (Buffer::
// data()) that it touches meanwhile.
struct SimTask {
  std::string op;  // Names the task in errors.
  std::vector<const void*> reads;
  std::vector<const void*> writes;
  // Runs on the stream's worker. Keeps alive what it needs, except memory of
  // the device, which is freed in the order of the streams.
  std::function<absl::Status()> run;
};

// A point in a stream's work. Made by SimStream::Record(); a plain handle.
class SimEvent {
 public:
  bool reached() const;
  // Waits for the work in front of it, which then comes before all that the
  // host gives to any stream. Returns the failure of the work since the
  // stream's event before; null if there is none.
  std::shared_ptr<StreamFailure> Join() const;

 private:
  friend class SimStream;
  struct State {
    std::mutex mutex;
    std::condition_variable reached_changed;
    bool reached = false;                    // Guarded by mutex.
    std::shared_ptr<StreamFailure> failure;  // Set before `reached`.
    SimClock clock{};                        // Never changes once recorded.
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

// Runs tasks one after another on a thread of its own. What the host has waited
// for comes before all that it enqueues afterwards; tasks of two streams are
// ordered by events alone. A task that fails does not stop the others.
// Thread-safe.
class SimStream {
 public:
  // `number` is above 0 and below kMaxSimAgents, and no other stream has it.
  explicit SimStream(int number);
  // Waits for its work.
  ~SimStream();
  SimStream(const SimStream&) = delete;
  SimStream& operator=(const SimStream&) = delete;

  int number() const { return number_; }

  // Adds a task after the others and returns at once. FailedPrecondition,
  // with nothing enqueued, if it touches memory that a task of another stream
  // touches and no wait orders the two.
  absl::Status Enqueue(SimTask task);

  // Marks the end of what is enqueued by now.
  SimEvent Record();
  // Lets later tasks of this stream wait for `event`, which may be of another.
  void Wait(const SimEvent& event);
  // Lets the next task, which comes after `event`, not run but fail as the work
  // in front of the event if that fails. RequireNothing() takes that back.
  void Require(const SimEvent& event);
  void RequireNothing();

 private:
  void Work();
  void Run(const SimTask& task, const std::vector<SimEvent>& required);
  void Push(std::function<void()> step);

  const int number_;
  SimClock clock_{};  // Guarded by the device's lock (sim_stream.cc).
  std::mutex mutex_;
  std::condition_variable pushed_;
  // Guarded by mutex_.
  std::deque<std::function<void()>> queue_;
  bool ends_ = false;
  std::vector<SimEvent> required_;  // By the next task. Guarded by that lock.
  std::shared_ptr<StreamFailure> failure_;  // Since the last event: worker's.
  std::thread worker_;
};

// Sees the tasks as they run, on the workers' threads: for tests.
class SimObserver {
 public:
  virtual ~SimObserver() = default;
  virtual void Begins(const std::string& op, int stream) = 0;
  virtual void Ends(const std::string& op, int stream) = 0;
};

// Tells `observer`, which outlives all tasks until the next call, of each task;
// null: nobody.
void SetSimObserver(SimObserver* observer);

// Lets each task wait for a random time of up to two milliseconds before it
// runs, so that what no wait orders happens in another order at each run; 0
// lets them run at once. The environment variable SIM_DELAYS is the first seed.
void SetSimDelays(uint32_t seed);

// Forgets who touched a block that was freed.
void ForgetSimBlock(const void* block);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_STREAM_H_

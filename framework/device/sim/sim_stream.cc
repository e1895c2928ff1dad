// SPDX-License-Identifier: Apache-2.0
#include "framework/device/sim/sim_stream.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <random>
#include <utility>

#include "framework/device/cpu/float_control.h"

namespace switchyard {
namespace {

// Orders the tasks of all streams, under one lock.
struct Order {
  std::mutex mutex;
  SimAccesses accesses;
  SimClock host{};  // What the host has waited for.
};

Order& TheOrder() {
  static auto* const order = new Order();
  return *order;
}

std::atomic<SimObserver*> the_observer{nullptr};

std::atomic<uint32_t>& DelaySeed() {
  static auto* const seed = [] {
    const char* const given = std::getenv("SIM_DELAYS");
    return new std::atomic<uint32_t>(
        given == nullptr ? 0 : static_cast<uint32_t>(std::atoi(given)));
  }();
  return *seed;
}

// Most tasks of a stream run at once, so that the others fall far behind.
void Delay(int stream) {
  const uint32_t seed = DelaySeed();
  if (seed == 0) return;
  thread_local std::mt19937 random(seed * kMaxSimAgents + stream);
  const uint32_t drawn = random();
  if (drawn % 4 != 0) return;
  std::this_thread::sleep_for(std::chrono::microseconds(drawn / 4 % 400));
}

}  // namespace

void SetSimObserver(SimObserver* observer) { the_observer = observer; }
void SetSimDelays(uint32_t seed) { DelaySeed() = seed; }

void ForgetSimBlock(const void* block) {
  Order& order = TheOrder();
  const std::lock_guard<std::mutex> lock(order.mutex);
  order.accesses.Forget(block);
}

SimStream::SimStream(int number)
    : number_(number), worker_([this] { Work(); }) {}

SimStream::~SimStream() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  pushed_.notify_one();
  worker_.join();
}

void SimStream::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    pushed_.wait(lock, [this] { return ends_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::function<void()> step = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    step();
    step = nullptr;  // What it keeps alive goes outside of the lock.
    lock.lock();
  }
}

void SimStream::Push(std::function<void()> step) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(step));
  }
  pushed_.notify_one();
}

void SimStream::Run(const SimTask& task,
                    const std::vector<SimEvent>& required) {
  Delay(number_);
  for (const SimEvent& event : required) {
    // Reached by now.
    if (event.state_->failure == nullptr) continue;
    if (failure_ == nullptr) failure_ = event.state_->failure;
    return;
  }
  SimObserver* const observer = the_observer;
  if (observer != nullptr) observer->Begins(task.op, number_);
  absl::Status status;
  try {
    status = task.run();
  } catch (const std::bad_alloc&) {
    status = absl::ResourceExhaustedError(task.op + ": out of memory");
  }
  if (observer != nullptr) observer->Ends(task.op, number_);
  if (status.ok() || failure_ != nullptr) return;
  failure_ = std::make_shared<StreamFailure>(std::move(status));
}

absl::Status SimStream::Enqueue(SimTask task) {
  Order& order = TheOrder();
  const std::lock_guard<std::mutex> lock(order.mutex);
  std::vector<SimEvent> required = std::exchange(required_, {});
  JoinClock(order.host, &clock_);
  SY_RETURN_IF_ERROR(
      order.accesses.Add(task.op, number_, task.reads, task.writes, &clock_));
  Push([this, task = std::move(task), required = std::move(required),
        control = FloatControl()] {
    // As the calling thread computes: its denormals are flushed, or not.
    SetFloatControl(control);
    Run(task, required);
  });
  return absl::OkStatus();
}

SimEvent SimStream::Record() {
  Order& order = TheOrder();
  const std::lock_guard<std::mutex> lock(order.mutex);
  SimEvent event;
  event.state_->clock = clock_;
  Push([this, state = event.state_] {
    const std::lock_guard<std::mutex> guard(state->mutex);
    state->failure = std::exchange(failure_, nullptr);
    state->reached = true;
    state->reached_changed.notify_all();
  });
  return event;
}

void SimStream::Wait(const SimEvent& event) {
  Order& order = TheOrder();
  const std::lock_guard<std::mutex> lock(order.mutex);
  JoinClock(event.state_->clock, &clock_);
  Push([state = event.state_] {
    std::unique_lock<std::mutex> guard(state->mutex);
    state->reached_changed.wait(guard, [&state] { return state->reached; });
  });
}

void SimStream::Require(const SimEvent& event) {
  const std::lock_guard<std::mutex> lock(TheOrder().mutex);
  required_.push_back(event);
}

void SimStream::RequireNothing() {
  const std::lock_guard<std::mutex> lock(TheOrder().mutex);
  required_.clear();
}

bool SimEvent::reached() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->reached;
}

std::shared_ptr<StreamFailure> SimEvent::Join() const {
  {
    std::unique_lock<std::mutex> lock(state_->mutex);
    state_->reached_changed.wait(lock, [this] { return state_->reached; });
  }
  Order& order = TheOrder();
  const std::lock_guard<std::mutex> lock(order.mutex);
  JoinClock(state_->clock, &order.host);
  return state_->failure;
}

}  // namespace switchyard

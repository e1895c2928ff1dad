// SPDX-License-Identifier: Apache-2.0
#include "framework/device/sim/sim_stream.h"

#include <utility>

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

}  // namespace

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
    {
      // Destroyed before the stream counts as finished: it may own tensors.
      const std::function<void()> step = std::move(queue_.front());
      queue_.pop_front();
      busy_ = true;
      lock.unlock();
      step();
    }
    lock.lock();
    busy_ = false;
    if (queue_.empty()) finished_.notify_all();
  }
}

void SimStream::Push(std::function<void()> step) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(step));
  }
  pushed_.notify_one();
}

absl::Status SimStream::Enqueue(SimTask task) {
  Order& order = TheOrder();
  const std::lock_guard<std::mutex> lock(order.mutex);
  JoinClock(order.host, &clock_);
  SY_RETURN_IF_ERROR(
      order.accesses.Add(task.op, number_, task.reads, task.writes, &clock_));
  Push([this, run = std::move(task.run)] {
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      if (!error_.ok()) return;
    }
    absl::Status status = run();
    const std::lock_guard<std::mutex> guard(mutex_);
    if (error_.ok()) error_ = std::move(status);
  });
  return absl::OkStatus();
}

SimEvent SimStream::Record() {
  Order& order = TheOrder();
  const std::lock_guard<std::mutex> lock(order.mutex);
  SimEvent event;
  event.state_->clock = clock_;
  Push([state = event.state_] {
    const std::lock_guard<std::mutex> guard(state->mutex);
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

absl::Status SimStream::Synchronize() {
  Order& order = TheOrder();
  SimClock reached;
  {
    const std::lock_guard<std::mutex> lock(order.mutex);
    reached = clock_;
  }
  absl::Status error;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    finished_.wait(lock, [this] { return queue_.empty() && !busy_; });
    error = std::exchange(error_, absl::OkStatus());
  }
  const std::lock_guard<std::mutex> lock(order.mutex);
  JoinClock(reached, &order.host);
  return error;
}

}  // namespace switchyard

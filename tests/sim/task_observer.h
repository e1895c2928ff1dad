// SPDX-License-Identifier: Apache-2.0
// TaskObserver: the order of the tasks of the simulated device.
#ifndef SWITCHYARD_TESTS_SIM_TASK_OBSERVER_H_
#define SWITCHYARD_TESTS_SIM_TASK_OBSERVER_H_

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/device/sim/sim_device.h"
#include "framework/device/stream.h"
#include "framework/testing/matchers.h"

namespace switchyard {

// Records when tasks of the simulated device begin and end, and holds some of
// them at their beginning, so that a test of what overlaps does not depend on
// time. Installed while it lives; its end waits for all work. Thread-safe.
class TaskObserver final : public SimObserver {
 public:
  TaskObserver() { SetSimObserver(this); }
  ~TaskObserver() override {
    ReleaseAll();
    EXPECT_THAT(Synchronize(SimPlace()), IsOk());
    SetSimObserver(nullptr);
  }

  // Lets tasks of `op` begin no sooner than one of `other` has ("" for never).
  void Hold(const std::string& op, const std::string& other) {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_[op] = other;
  }
  void ReleaseAll() {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_.clear();
    changed_.notify_all();
  }

  void Begins(const std::string& op, int) override {
    std::unique_lock<std::mutex> lock(mutex_);
    trace_.push_back(absl::StrCat(op, " begins"));
    changed_.notify_all();
    const bool released = changed_.wait_for(lock, std::chrono::minutes(1),
                                            [this, &op] { return MayRun(op); });
    EXPECT_TRUE(released) << op << " waits for what never begins";
  }
  void Ends(const std::string& op, int) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    trace_.push_back(absl::StrCat(op, " ends"));
  }

  // Returns when an event was recorded; -1 if it was not.
  int When(const std::string& event) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find(trace_.begin(), trace_.end(), event);
    return found == trace_.end() ? -1
                                 : static_cast<int>(found - trace_.begin());
  }

 private:
  bool MayRun(const std::string& op) const {
    const auto held = held_.find(op);
    if (held == held_.end()) return true;
    return std::find(trace_.begin(), trace_.end(),
                     absl::StrCat(held->second, " begins")) != trace_.end();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> held_;
  std::vector<std::string> trace_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_SIM_TASK_OBSERVER_H_

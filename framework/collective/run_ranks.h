// SPDX-License-Identifier: Apache-2.0
// For tests: runs a function as every rank of a group of threads.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_RUN_RANKS_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_RUN_RANKS_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "framework/collective/group.h"
#include "framework/collective/thread_transport.h"

namespace switchyard::collective {

// Calls body(group) in a thread for each rank of `world`. Returns what it
// returned, by rank. A group ends when its body has.
inline std::vector<absl::Status> RunRanks(
    ThreadWorld& world, int size,
    const std::function<absl::Status(Group&)>& body,
    std::chrono::milliseconds deadline = std::chrono::milliseconds(60000),
    const std::function<void(const std::string&)>& on_long_wait = nullptr) {
  std::vector<absl::Status> results(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      GroupOptions options;
      for (int i = 0; i < size; ++i) {
        options.members.push_back(
            {std::string(1, static_cast<char>('a' + i)), 100 + i});
      }
      options.deadline = deadline;
      options.on_long_wait = on_long_wait;
      auto group = Group::Make(kThreadTransport, {rank, size, &world},
                               std::move(options));
      results[rank] = group.ok() ? body(**group) : group.status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_RUN_RANKS_H_

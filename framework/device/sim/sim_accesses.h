// SPDX-License-Identifier: Apache-2.0
// SimAccesses: which task of which stream read and wrote each block of the
// simulated device (sim_memory.h), and whether some wait orders them. It finds
// a missing wait on every run, however the threads happen to be scheduled.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_ACCESSES_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_ACCESSES_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"

namespace switchyard {

// Most agents that give or take work: agent 0 is the host, the others are
// streams.
inline constexpr int kMaxSimAgents = 64;

// A vector clock: for every agent, how many of its tasks come before the
// clock's owner's next one.
using SimClock = std::array<uint32_t, kMaxSimAgents>;

// Makes `clock` know what `other` knows: its owner has waited.
void JoinClock(const SimClock& other, SimClock* clock);

// Not thread-safe: SimStream (sim_stream.h) calls it under the device's lock.
class SimAccesses {
 public:
  // Records a task of operator `op` on stream `agent`, which has waited for
  // what `clock` says, and counts it there. Blocks are device addresses.
  // FailedPrecondition if it reads a block that an unordered task writes, or
  // writes one that an unordered task reads or writes; the sentence names both
  // operators, and nothing is recorded.
  absl::Status Add(const std::string& op, int agent,
                   absl::Span<const void* const> reads,
                   absl::Span<const void* const> writes, SimClock* clock);

  // Forgets a block that was freed.
  void Forget(const void* block) { blocks_.erase(block); }

 private:
  struct Access {
    std::string op;
    int agent = 0;
    uint32_t time = 0;  // The agent's count; 0: none.
  };
  struct Block {
    Access writer;
    std::vector<Access> readers;  // Since then; one of each agent, the last.
  };

  std::array<uint32_t, kMaxSimAgents> counts_{};  // Tasks of each agent.
  std::map<const void*, Block> blocks_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_SIM_SIM_ACCESSES_H_

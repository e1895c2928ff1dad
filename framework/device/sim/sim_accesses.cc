// SPDX-License-Identifier: Apache-2.0
#include "framework/device/sim/sim_accesses.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace switchyard {
namespace {

absl::Status Unordered(const std::string& op, int agent, const char* verb,
                       const std::string& other, int other_agent,
                       const char* other_verb) {
  return absl::FailedPreconditionError(
      absl::StrCat(op, " on stream ", agent, " ", verb, " memory that ", other,
                   " on stream ", other_agent, " ", other_verb,
                   ", and no wait orders the two"));
}

}  // namespace

void JoinClock(const SimClock& other, SimClock* clock) {
  for (int agent = 0; agent < kMaxSimAgents; ++agent) {
    (*clock)[agent] = std::max((*clock)[agent], other[agent]);
  }
}

absl::Status SimAccesses::Add(const std::string& op, int agent,
                              absl::Span<const void* const> reads,
                              absl::Span<const void* const> writes,
                              SimClock* clock) {
  const auto ordered = [&](const Access& access) {
    return access.agent == agent || access.time <= (*clock)[access.agent];
  };
  for (const void* block : reads) {
    const Access& writer = blocks_[block].writer;
    if (ordered(writer)) continue;
    return Unordered(op, agent, "reads", writer.op, writer.agent, "writes");
  }
  for (const void* block : writes) {
    const Block& history = blocks_[block];
    if (!ordered(history.writer)) {
      return Unordered(op, agent, "writes", history.writer.op,
                       history.writer.agent, "writes");
    }
    for (const Access& reader : history.readers) {
      if (ordered(reader)) continue;
      return Unordered(op, agent, "writes", reader.op, reader.agent, "reads");
    }
  }
  const Access access = {op, agent, ++counts_[agent]};
  (*clock)[agent] = access.time;
  for (const void* block : reads) {
    std::vector<Access>& readers = blocks_[block].readers;
    const auto earlier =
        std::find_if(readers.begin(), readers.end(),
                     [agent](const Access& a) { return a.agent == agent; });
    if (earlier != readers.end()) readers.erase(earlier);
    readers.push_back(access);
  }
  for (const void* block : writes) blocks_[block] = {access, {}};
  return absl::OkStatus();
}

}  // namespace switchyard

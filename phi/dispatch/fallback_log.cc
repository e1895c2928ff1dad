// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/fallback_log.h"

namespace switchyard::phi::dispatch {
namespace {

std::vector<Fallback>& ThreadLog() {
  thread_local std::vector<Fallback> fallback_log;
  return fallback_log;
}

}  // namespace

const std::vector<Fallback>& FallbackLog() { return ThreadLog(); }

void ClearFallbackLog() { ThreadLog().clear(); }

void LogFallback(const char* op, Place from, Place to, int64_t bytes) {
  for (Fallback& fallback : ThreadLog()) {
    if (fallback.op != op || fallback.from != from || fallback.to != to)
      continue;
    fallback.bytes += bytes;
    ++fallback.count;
    return;
  }
  ThreadLog().push_back({op, from, to, bytes, 1});
}

}  // namespace switchyard::phi::dispatch

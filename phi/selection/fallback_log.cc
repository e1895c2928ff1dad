// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/fallback_log.h"

namespace switchyard::phi::selection {
namespace {

struct Log {
  std::vector<Fallback> entries;
  size_t last = 0;  // The entry that was found last.
};

Log& ThreadLog() {
  thread_local Log log;
  return log;
}

bool SameCall(const Fallback& a, const Fallback& b) {
  return a.op == b.op && a.from == b.from && a.to == b.to &&
         a.location == b.location;
}

}  // namespace

const std::vector<Fallback>& FallbackLog() { return ThreadLog().entries; }

void ClearFallbackLog() { ThreadLog() = Log(); }

// The steps of a program come in the order in which they came before, so the
// entry is most often the last one or the next.
void LogFallback(const Fallback& fallback) {
  Log& log = ThreadLog();
  const size_t count = log.entries.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t at = (log.last + i) % count;
    Fallback& known = log.entries[at];
    if (!SameCall(known, fallback)) continue;
    known.bytes += fallback.bytes;
    known.count += fallback.count;
    log.last = at;
    return;
  }
  log.last = count;
  log.entries.push_back(fallback);
}

}  // namespace switchyard::phi::selection

// SPDX-License-Identifier: Apache-2.0
// Anomaly mode: whether eager calls are checked for NaN and infinity that they
// make of finite numbers (phi/core/anomaly/anomaly.h). Off at first.
#ifndef SWITCHYARD_EAGER_CALL_ANOMALY_MODE_H_
#define SWITCHYARD_EAGER_CALL_ANOMALY_MODE_H_

#include <atomic>
#include <string>

namespace switchyard::eager {

// Says where the call that runs is, as file and line; empty if that is not
// known. Any thread may ask, with or without locks of the caller's language.
using CallSite = std::string (*)();

namespace internal {
// Constant-initialised and trivially destroyed, so that access is one load.
inline std::atomic<bool> detects_anomalies{false};
inline std::atomic<CallSite> call_site{nullptr};
}  // namespace internal

// Return and set the mode of the process. A node of the graph knows the place
// of its call if it was made while the mode was on.
inline bool DetectsAnomalies() {
  return internal::detects_anomalies.load(std::memory_order_relaxed);
}
inline void SetDetectsAnomalies(bool on) {
  internal::detects_anomalies.store(on, std::memory_order_relaxed);
}

// Sets what says where calls are. Once, by the binding of a language.
inline void SetCallSite(CallSite call_site) {
  internal::call_site.store(call_site, std::memory_order_relaxed);
}
// Returns its answer; empty without one.
inline std::string CurrentCallSite() {
  const CallSite call_site =
      internal::call_site.load(std::memory_order_relaxed);
  return call_site == nullptr ? std::string() : call_site();
}

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_ANOMALY_MODE_H_

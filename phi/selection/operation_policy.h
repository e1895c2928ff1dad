// SPDX-License-Identifier: Apache-2.0
// OperationPolicy: one call's addition to the policy around it (policy.h). It
// comes from an attribute of an operation in a program, or from use_mkldnn and
// use_cudnn of a legacy call.
#ifndef SWITCHYARD_PHI_SELECTION_OPERATION_POLICY_H_
#define SWITCHYARD_PHI_SELECTION_OPERATION_POLICY_H_

#include <optional>
#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/policy.h"

namespace switchyard::phi::selection {

// The wishes of one operation, a plain value; the default has none. It can only
// admit less than the policy around it, never more:
//   origin, backends, declined   admission is the intersection
//   prefer                       the operation's, then the others
//   strict                       where either says so
//   no_fallback                  a fallback needs the leave of both
struct OperationPolicy {
  std::optional<KernelOrigin> origin;
  std::optional<BackendSet> backends;  // nullopt: all.
  const Preferences* prefer = nullptr;
  bool strict = false;
  bool no_fallback = false;
  // As Policy has them.
  BackendSet declined = BackendSet::None();
  BackendSet requested = BackendSet::None();

  friend bool operator==(const OperationPolicy& a, const OperationPolicy& b) {
    return a.origin == b.origin && a.backends == b.backends &&
           a.prefer == b.prefer && a.strict == b.strict &&
           a.no_fallback == b.no_fallback && a.declined == b.declined &&
           a.requested == b.requested;
  }
};

// Returns the policy under which an operation's kernel is selected. Two
// different origins leave no backend.
Policy Merged(const Policy& policy, const OperationPolicy& operation);

// Merges the policies of two operations that become one, by the same rules; the
// preferences of `first` come first.
OperationPolicy Merged(const OperationPolicy& first,
                       const OperationPolicy& second);

// Reads the words "origin=", "backend=", "prefer=", "library=" and "declined="
// of a policy (phi/selection/policy_text.h), "strict" and "no_fallback", with
// commas between them; "default" has none. ArgumentError for others, and as
// ParsePolicy() for their names.
absl::StatusOr<OperationPolicy> ParseOperationPolicy(
    std::string_view text, const KernelTable& kernels);

// Returns the words that ParseOperationPolicy() reads.
std::string ToString(const OperationPolicy& operation);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_OPERATION_POLICY_H_

// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/operation_policy.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "phi/selection/policy_text.h"

namespace switchyard::phi::selection {
namespace {

// The words that it shares with a Policy, up to their values.
constexpr std::string_view kShared[] = {
    "origin=", "backend=", "prefer=", "library=", "declined=", "strict"};
constexpr std::string_view kNoFallback = "no_fallback";
constexpr std::string_view kBackend = "backend=";

bool IsShared(std::string_view word) {
  return std::any_of(
      std::begin(kShared), std::end(kShared), [&](std::string_view known) {
        return known.back() == '=' ? word.substr(0, known.size()) == known
                                   : word == known;
      });
}

// Merges the members whose rule is the same in a Policy and an OperationPolicy.
template <typename Into>
void MergeInto(const OperationPolicy& from, Into* into) {
  into->strict |= from.strict;
  into->declined = into->declined.Union(from.declined);
  into->requested = into->requested.Union(from.requested);
}

// Whether an origin is excluded by the other; else `*origin` is the one of
// both.
bool Contradict(std::optional<KernelOrigin> other,
                std::optional<KernelOrigin>* origin) {
  if (origin->has_value() && other.has_value() && *origin != other) return true;
  if (other.has_value()) *origin = other;
  return false;
}

}  // namespace

Policy Merged(const Policy& policy, const OperationPolicy& operation) {
  Policy merged = policy;
  MergeInto(operation, &merged);
  merged.prefer = Preferences::Joined(operation.prefer, policy.prefer);
  if (operation.no_fallback) merged.allow_fallback = false;
  if (operation.backends.has_value()) {
    merged.backends = policy.backends.Intersection(*operation.backends);
  }
  if (Contradict(operation.origin, &merged.origin)) {
    merged.backends = BackendSet::None();
  }
  return merged;
}

OperationPolicy Merged(const OperationPolicy& first,
                       const OperationPolicy& second) {
  OperationPolicy merged = first;
  MergeInto(second, &merged);
  merged.prefer = Preferences::Joined(first.prefer, second.prefer);
  merged.no_fallback |= second.no_fallback;
  if (second.backends.has_value()) {
    merged.backends = first.backends.has_value()
                          ? first.backends->Intersection(*second.backends)
                          : second.backends;
  }
  if (Contradict(second.origin, &merged.origin)) {
    merged.backends = BackendSet::None();
  }
  return merged;
}

absl::StatusOr<OperationPolicy> ParseOperationPolicy(
    std::string_view text, const KernelTable& kernels) {
  OperationPolicy operation;
  if (text == "default") return operation;
  std::vector<std::string> shared;
  bool backends = false;
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(text.data(), text.size()), ',')) {
    const std::string_view word(part.data(), part.size());
    if (word == kNoFallback) {
      operation.no_fallback = true;
    } else if (IsShared(word)) {
      backends |= word.substr(0, kBackend.size()) == kBackend;
      shared.emplace_back(word);
    } else {
      return ArgumentError(
          "policy",
          "origin=phi|fluid, backend=<name>, prefer=<names>, strict, "
          "no_fallback, library=<backend> or declined=<backend> on one "
          "operation",
          "'" + std::string(word) + "'");
    }
  }
  if (shared.empty()) return operation;
  SY_ASSIGN_OR_RETURN(const Policy policy,
                      ParsePolicy(absl::StrJoin(shared, ","), kernels));
  operation.origin = policy.origin;
  if (backends) operation.backends = policy.backends;
  operation.prefer = policy.prefer;
  operation.strict = policy.strict;
  operation.declined = policy.declined;
  operation.requested = policy.requested;
  return operation;
}

std::string ToString(const OperationPolicy& operation) {
  std::vector<std::string> words;
  if (operation.backends.has_value()) {
    words.push_back("backend=" + operation.backends->ToString(",backend="));
  }
  Policy shared;
  shared.origin = operation.origin;
  shared.prefer = operation.prefer;
  shared.strict = operation.strict;
  shared.declined = operation.declined;
  shared.requested = operation.requested;
  if (!(shared == Policy())) words.push_back(ToString(shared));
  if (operation.no_fallback) words.emplace_back(kNoFallback);
  return words.empty() ? "default" : absl::StrJoin(words, ",");
}

}  // namespace switchyard::phi::selection

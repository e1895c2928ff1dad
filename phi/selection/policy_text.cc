// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/policy_text.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace switchyard::phi::selection {
namespace {

constexpr std::string_view kWords =
    "origin=phi|fluid, backend=<name>, fallback, strict, thread_variant or "
    "no_transforms";

constexpr std::string_view kBackend = "backend=";

// One word into `policy`, a backend's name into `backends`; false if it is
// none.
bool Apply(std::string_view word, std::vector<std::string>* backends,
           Policy* policy) {
  if (word == "fallback") {
    policy->allow_fallback = true;
  } else if (word == "strict") {
    policy->strict = true;
  } else if (word == "thread_variant") {
    policy->allow_thread_variant = true;
  } else if (word == "no_transforms") {
    policy->allow_transforms = false;
  } else if (word == "origin=phi") {
    policy->origin = KernelOrigin::kPhi;
  } else if (word == "origin=fluid") {
    policy->origin = KernelOrigin::kFluid;
  } else if (word.substr(0, kBackend.size()) == kBackend) {
    backends->emplace_back(word.substr(kBackend.size()));
  } else {
    return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<BackendSet> ParseBackends(std::string_view subject,
                                         absl::Span<const std::string> names,
                                         const KernelTable& kernels) {
  const auto error = [&](const std::string& got) {
    std::string expected = "default";
    for (const BackendInfo* backend : kernels.backends()) {
      expected.append(" or ").append(backend->name);
    }
    return ArgumentError(subject, expected, got);
  };
  BackendSet set = BackendSet::None();
  for (const std::string& name : names) {
    const BackendInfo* backend = kernels.FindBackend(name);
    if (name == "default") {
      set.AddDefaults();
    } else if (backend != nullptr) {
      set.Add(*backend);
    } else {
      return error("'" + name + "'");
    }
  }
  if (names.empty()) return error("no name");
  return set;
}

std::string ToString(const Policy& policy) {
  std::vector<std::string> words;
  if (policy.origin.has_value()) {
    words.push_back("origin=" + std::string(Name(*policy.origin)));
  }
  if (policy.backends != BackendSet()) {
    words.push_back("backend=" + policy.backends.ToString(",backend="));
  }
  if (policy.allow_fallback) words.push_back("fallback");
  if (policy.strict) words.push_back("strict");
  if (policy.allow_thread_variant) words.push_back("thread_variant");
  if (!policy.allow_transforms) words.push_back("no_transforms");
  return words.empty() ? "default" : absl::StrJoin(words, ",");
}

absl::StatusOr<Policy> ParsePolicy(std::string_view text,
                                   const KernelTable& kernels) {
  Policy policy;
  if (text == "default") return policy;
  std::vector<std::string> backends;
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(text.data(), text.size()), ',')) {
    const std::string_view word(part.data(), part.size());
    if (Apply(word, &backends, &policy)) continue;
    return ArgumentError("policy", kWords, "'" + std::string(word) + "'");
  }
  if (!backends.empty()) {
    SY_ASSIGN_OR_RETURN(policy.backends,
                        ParseBackends("policy: backend", backends, kernels));
  }
  return policy;
}

}  // namespace switchyard::phi::selection

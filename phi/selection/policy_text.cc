// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/policy_text.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace switchyard::phi::selection {
namespace {

constexpr std::string_view kWords =
    "form=phi|fluid, backend=<name>, fallback, strict, thread_variant or "
    "no_transforms";

// One word into `policy`; false if it is none.
bool Apply(std::string_view word, bool* backends_named, Policy* policy) {
  if (word == "fallback") {
    policy->allow_fallback = true;
  } else if (word == "strict") {
    policy->strict = true;
  } else if (word == "thread_variant") {
    policy->allow_thread_variant = true;
  } else if (word == "no_transforms") {
    policy->allow_transforms = false;
  } else if (word == "form=phi") {
    policy->form = Form::kPhi;
  } else if (word == "form=fluid") {
    policy->form = Form::kFluid;
  } else if (word.substr(0, 8) == "backend=") {
    const auto backend = ParseBackend(word.substr(8));
    if (!backend.has_value()) return false;
    if (!*backends_named) policy->backends = 0;
    *backends_named = true;
    policy->backends |= Policy::Bit(*backend);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string ToString(const Policy& policy) {
  std::vector<std::string> words;
  if (policy.form.has_value()) {
    words.push_back("form=" + std::string(Name(*policy.form)));
  }
  for (int i = 0; i < kNumBackends; ++i) {
    const Backend backend = static_cast<Backend>(i);
    if (policy.backends == Policy().backends) break;
    if ((policy.backends & Policy::Bit(backend)) == 0) continue;
    words.push_back("backend=" + std::string(Name(backend)));
  }
  if (policy.allow_fallback) words.push_back("fallback");
  if (policy.strict) words.push_back("strict");
  if (policy.allow_thread_variant) words.push_back("thread_variant");
  if (!policy.allow_transforms) words.push_back("no_transforms");
  return words.empty() ? "default" : absl::StrJoin(words, ",");
}

absl::StatusOr<Policy> ParsePolicy(std::string_view text) {
  Policy policy;
  if (text == "default") return policy;
  bool backends_named = false;
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(text.data(), text.size()), ',')) {
    const std::string_view word(part.data(), part.size());
    if (Apply(word, &backends_named, &policy)) continue;
    return ArgumentError("policy", kWords, "'" + std::string(word) + "'");
  }
  return policy;
}

}  // namespace switchyard::phi::selection

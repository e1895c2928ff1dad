// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/policy_text.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "phi/core/kernel_origin.h"
#include "phi/selection/alternatives.h"

namespace switchyard::phi::selection {
namespace {

constexpr std::string_view kWords =
    "origin=phi|fluid, backend=<name>, prefer=<names>, fallback, strict, "
    "thread_variant, no_transforms, on=<backend>:<operators>, "
    "off=<backend>:<operators>, decompose=<operators>, "
    "library=<backend> or declined=<backend>";

constexpr std::string_view kOrigin = "origin=";
constexpr std::string_view kComposed = "composed";

// The words with a value that may occur several times.
struct Named {
  std::vector<std::string> backends, prefer, libraries, declined, decompose;
  std::vector<std::pair<bool, std::string>> lists;  // (on, "<backend>:<ops>")
};

// Puts such a word into `named`; returns false if it is another.
bool ApplyNamed(std::string_view word, Named* named) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view key = word.substr(0, equals);
  const std::string value(word.substr(equals + 1));
  if (key == "backend") {
    named->backends.push_back(value);
  } else if (key == "prefer" || key == "decompose") {
    auto& names = key == "prefer" ? named->prefer : named->decompose;
    for (const absl::string_view name : absl::StrSplit(value, '+')) {
      names.emplace_back(name.data(), name.size());
    }
  } else if (key == "library") {
    named->libraries.push_back(value);
  } else if (key == "declined") {
    named->declined.push_back(value);
  } else if (key == "on" || key == "off") {
    named->lists.emplace_back(key == "on", value);
  } else {
    return false;
  }
  return true;
}

// One word into `policy`, those with names into `named`; false if it is none.
bool Apply(std::string_view word, Named* named, Policy* policy) {
  if (word == "fallback") {
    policy->allow_fallback = true;
  } else if (word == "strict") {
    policy->strict = true;
  } else if (word == "thread_variant") {
    policy->allow_thread_variant = true;
  } else if (word == "no_transforms") {
    policy->allow_transforms = false;
  } else if (word.substr(0, kOrigin.size()) == kOrigin) {
    policy->origin = ParseOrigin(word.substr(kOrigin.size()));
    return policy->origin.has_value();
  } else {
    return ApplyNamed(word, named);
  }
  return true;
}

// "<backend>:<operator>+<operator>".
absl::Status AddList(bool on, const std::string& text, ListParser* lists) {
  const size_t colon = text.find(':');
  const std::string ops =
      colon == std::string::npos ? std::string() : text.substr(colon + 1);
  std::vector<std::string> names;
  if (!ops.empty()) names = absl::StrSplit(ops, '+');
  return lists->Add(on, text.substr(0, colon), names);
}

absl::Status ApplyNames(const Named& named, const KernelTable& kernels,
                        Policy* policy) {
  const auto set = [&](const char* subject,
                       const std::vector<std::string>& names,
                       BackendSet* backends) -> absl::Status {
    if (names.empty()) return absl::OkStatus();
    SY_ASSIGN_OR_RETURN(*backends, ParseBackends(subject, names, kernels));
    return absl::OkStatus();
  };
  SY_RETURN_IF_ERROR(set("policy: backend", named.backends, &policy->backends));
  if (!named.prefer.empty()) {
    SY_ASSIGN_OR_RETURN(policy->prefer,
                        ParsePreferences(named.prefer, kernels));
  }
  SY_RETURN_IF_ERROR(
      set("policy: library", named.libraries, &policy->requested));
  SY_RETURN_IF_ERROR(
      set("policy: declined", named.declined, &policy->declined));
  ListParser lists(kernels);
  for (const auto& [on, text] : named.lists) {
    SY_RETURN_IF_ERROR(AddList(on, text, &lists));
  }
  SY_RETURN_IF_ERROR(lists.Decompose(named.decompose));
  policy->lists = lists.Intern();
  return absl::OkStatus();
}

}  // namespace

absl::Status ListParser::Add(bool on, std::string_view backend,
                             absl::Span<const std::string> ops) {
  const char* const subject = on ? "policy: on" : "policy: off";
  const std::string name(backend);
  SY_RETURN_IF_ERROR(ParseBackends(subject, {name}, kernels_).status());
  const BackendInfo* const info = kernels_.FindBackend(backend);
  if (info == nullptr) {
    return ArgumentError(subject, "for one backend", "'" + name + "'");
  }
  auto list = std::find_if(
      lists_.begin(), lists_.end(),
      [&](const OperatorList& known) { return known.backend == info; });
  if (list == lists_.end()) {
    list = lists_.insert(list, OperatorList());
    list->backend = info;
  }
  list->limited |= on;
  for (const std::string& op : ops) {
    if (kernels_.Find(op) == nullptr) {
      return ArgumentError(subject, "of operators with kernels",
                           "'" + op + "'");
    }
    (on ? list->on : list->off).insert(op);
  }
  return absl::OkStatus();
}

absl::Status ListParser::Decompose(absl::Span<const std::string> ops) {
  for (const std::string& op : ops) {
    const OpKernels* const op_kernels = kernels_.Find(op);
    if (op_kernels == nullptr || op_kernels->composite == nullptr) {
      return ArgumentError("policy: decompose",
                           "of operators with kernels and a composite",
                           "'" + op + "'");
    }
    for (const BackendInfo* backend : kernels_.backends()) {
      SY_RETURN_IF_ERROR(Add(/*on=*/false, backend->name, {op}));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<BackendSet> ParseBackends(std::string_view subject,
                                         absl::Span<const std::string> names,
                                         const KernelTable& kernels) {
  const auto error = [&](const std::string& got) {
    std::vector<std::string_view> expected = {"default"};
    for (const BackendInfo* backend : kernels.backends()) {
      expected.push_back(backend->name);
    }
    return ArgumentError(subject, Alternatives(expected), got);
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

absl::StatusOr<const Preferences*> ParsePreferences(
    absl::Span<const std::string> names, const KernelTable& kernels) {
  std::vector<Preference> preferences;
  for (const std::string& name : names) {
    const auto origin = std::find_if(
        std::begin(kOriginNames), std::end(kOriginNames),
        [&](const OriginNames& known) { return known.preferred == name; });
    Preference preference;
    preference.composed = name == kComposed;
    if (origin != std::end(kOriginNames)) {
      preference.origin = origin->origin;
    } else if (!preference.composed) {
      preference.backend = kernels.FindBackend(name);
    }
    if (origin == std::end(kOriginNames) && !preference.composed &&
        preference.backend == nullptr) {
      std::vector<std::string_view> expected = {kComposed};
      for (const OriginNames& known : kOriginNames) {
        expected.push_back(known.preferred);
      }
      for (const BackendInfo* backend : kernels.backends()) {
        expected.push_back(backend->name);
      }
      return ArgumentError("policy: prefer", Alternatives(expected),
                           "'" + name + "'");
    }
    preferences.push_back(preference);
  }
  return Preferences::Intern(preferences);
}

std::string ToString(const Policy& policy) {
  std::vector<std::string> words;
  if (policy.origin.has_value()) {
    words.push_back("origin=" + std::string(Name(*policy.origin)));
  }
  if (policy.backends != BackendSet()) {
    words.push_back("backend=" + policy.backends.ToString(",backend="));
  }
  if (policy.prefer != nullptr) words.push_back(policy.prefer->ToString());
  if (policy.allow_fallback) words.push_back("fallback");
  if (policy.strict) words.push_back("strict");
  if (policy.allow_thread_variant) words.push_back("thread_variant");
  if (!policy.allow_transforms) words.push_back("no_transforms");
  if (policy.lists != nullptr) words.push_back(policy.lists->ToString());
  if (policy.requested != BackendSet::None()) {
    words.push_back("library=" + policy.requested.ToString(",library="));
  }
  if (policy.declined != BackendSet::None()) {
    words.push_back("declined=" + policy.declined.ToString(",declined="));
  }
  return words.empty() ? "default" : absl::StrJoin(words, ",");
}

absl::StatusOr<Policy> ParsePolicy(std::string_view text,
                                   const KernelTable& kernels) {
  Policy policy;
  if (text == "default") return policy;
  Named named;
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(text.data(), text.size()), ',')) {
    const std::string_view word(part.data(), part.size());
    if (Apply(word, &named, &policy)) continue;
    return ArgumentError("policy", kWords, "'" + std::string(word) + "'");
  }
  SY_RETURN_IF_ERROR(ApplyNames(named, kernels, &policy));
  return policy;
}

}  // namespace switchyard::phi::selection

// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/preferences.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "phi/core/kernel_origin.h"

namespace switchyard::phi::selection {

std::string Name(const Preference& preference) {
  if (preference.composed) return "composed";
  return preference.backend != nullptr ? preference.backend->name
                                       : NamesOf(preference.origin).preferred;
}

const Preferences* Preferences::Intern(
    absl::Span<const Preference> preferences) {
  std::vector<Preference> unique;
  for (const Preference& preference : preferences) {
    if (std::find(unique.begin(), unique.end(), preference) == unique.end()) {
      unique.push_back(preference);
    }
  }
  if (unique.empty()) return nullptr;
  static std::mutex mutex;
  static auto* const known =
      new std::vector<std::unique_ptr<const Preferences>>();
  const std::lock_guard<std::mutex> lock(mutex);
  for (const std::unique_ptr<const Preferences>& made : *known) {
    if (made->preferences_ == unique) return made.get();
  }
  known->emplace_back(new Preferences(std::move(unique)));
  return known->back().get();
}

const Preferences* Preferences::Joined(const Preferences* first,
                                       const Preferences* second) {
  if (first == nullptr || first == second) return second;
  if (second == nullptr) return first;
  std::vector<Preference> both = first->preferences_;
  both.insert(both.end(), second->preferences_.begin(),
              second->preferences_.end());
  return Intern(both);
}

bool Preferences::Compose(absl::Span<const KernelDef* const> kernels) const {
  const auto composed = std::find(preferences_.begin(), preferences_.end(),
                                  Preference::Composed());
  if (composed == preferences_.end()) return false;
  const size_t rank = static_cast<size_t>(composed - preferences_.begin());
  return std::all_of(
      kernels.begin(), kernels.end(),
      [&](const KernelDef* kernel) { return RankOf(*kernel) > rank; });
}

std::string Preferences::ToString() const {
  std::string text;
  for (const Preference& preference : preferences_) {
    text += text.empty() ? "prefer=" : "+";
    text += Name(preference);
  }
  return text;
}

}  // namespace switchyard::phi::selection

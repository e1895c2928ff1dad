// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/operator_lists.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace switchyard::phi::selection {

const OperatorLists* OperatorLists::Intern(std::vector<OperatorList> lists) {
  lists.erase(std::remove_if(lists.begin(), lists.end(),
                             [](const OperatorList& list) {
                               return !list.limited && list.off.empty();
                             }),
              lists.end());
  if (lists.empty()) return nullptr;
  std::sort(lists.begin(), lists.end(),
            [](const OperatorList& a, const OperatorList& b) {
              return std::string_view(a.backend->name) < b.backend->name;
            });
  static std::mutex mutex;
  static auto* const known =
      new std::map<std::string, std::unique_ptr<const OperatorLists>>();
  std::unique_ptr<const OperatorLists> made(
      new OperatorLists(std::move(lists)));
  const std::string text = made->ToString();
  const std::lock_guard<std::mutex> lock(mutex);
  return known->emplace(text, std::move(made)).first->second.get();
}

const OperatorList* OperatorLists::Find(const BackendInfo& backend) const {
  for (const OperatorList& list : lists_) {
    if (list.backend == &backend) return &list;
  }
  return nullptr;
}

std::string OperatorLists::ToString() const {
  std::vector<std::string> words;
  for (const OperatorList& list : lists_) {
    const std::string name = list.backend->name;
    if (list.limited) {
      words.push_back(
          absl::StrCat("on=", name, ":", absl::StrJoin(list.on, "+")));
    }
    if (!list.off.empty()) {
      words.push_back(
          absl::StrCat("off=", name, ":", absl::StrJoin(list.off, "+")));
    }
  }
  return absl::StrJoin(words, ",");
}

}  // namespace switchyard::phi::selection

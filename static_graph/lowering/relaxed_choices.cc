// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/relaxed_choices.h"

#include <cstddef>
#include <initializer_list>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"

namespace switchyard::static_graph {
namespace {

using Values = std::initializer_list<std::string_view>;

constexpr std::string_view kExactText = "exact";

// Calls `visit(name, field, values)` for each choice; the values lie in the
// order of the field's enum, so the first is the exact one.
template <typename Choices, typename Visit>
void ForEachChoice(Choices& choices, const Visit& visit) {
  visit("denormals", choices.denormals, Values{"keep", "flush"});
  visit("precision", choices.precision,
        Values{"exact", "int8", "bfloat16", "bfloat16_emulated"});
  visit("fusion", choices.fusion, Values{"exact", "relaxed"});
  visit("reduction", choices.reduction, Values{"tree"});
  visit("thread_variant", choices.thread_variant, Values{"refuse", "allow"});
}

std::string Listed(absl::Span<const std::string_view> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    const char* const separator = i == 0                  ? ""
                                  : i + 1 == words.size() ? " or "
                                                          : ", ";
    absl::StrAppend(&text, separator, std::string(words[i]));
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> EntriesOf(
    const RelaxedChoices& choices) {
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  ForEachChoice(choices, [&](std::string_view name, auto field, Values values) {
    entries.emplace_back(name, values.begin()[static_cast<size_t>(field)]);
  });
  return entries;
}

std::string ToString(const RelaxedChoices& choices) {
  std::string text;
  ForEachChoice(choices, [&](std::string_view name, auto field, Values values) {
    const auto value = static_cast<size_t>(field);
    if (value == 0) return;
    absl::StrAppend(&text, text.empty() ? "" : ",", std::string(name), "=",
                    std::string(values.begin()[value]));
  });
  return text.empty() ? std::string(kExactText) : text;
}

absl::Status SetChoice(std::string_view name, std::string_view value,
                       RelaxedChoices* choices) {
  std::vector<std::string_view> names;
  absl::Status wrong_value;
  bool set = false;
  ForEachChoice(
      *choices, [&](std::string_view known, auto& field, Values values) {
        names.push_back(known);
        if (known != name) return;
        for (size_t i = 0; i < values.size() && !set; ++i) {
          if (values.begin()[i] != value) continue;
          field = static_cast<std::remove_reference_t<decltype(field)>>(i);
          set = true;
        }
        if (set) return;
        wrong_value = ArgumentError(
            absl::StrCat("relaxed: ", std::string(name)), Listed(values),
            absl::StrCat("'", std::string(value), "'"));
      });
  if (set) return absl::OkStatus();
  if (!wrong_value.ok()) return wrong_value;
  return ArgumentError("relaxed: the choice", Listed(names),
                       absl::StrCat("'", std::string(name), "'"));
}

absl::Status ApplyChoices(std::string_view text, RelaxedChoices* choices) {
  RelaxedChoices changed = *choices;
  const absl::string_view whole(text.data(), text.size());
  const std::vector<std::string> words = absl::StrSplit(whole, ',');
  for (const std::string& word : words) {
    if (word == kExactText) {
      changed = RelaxedChoices();
      continue;
    }
    const size_t equals = word.find('=');
    if (equals == std::string::npos) {
      return ArgumentError("relaxed", "exact, or choices as denormals=flush",
                           absl::StrCat("'", word, "'"));
    }
    SY_RETURN_IF_ERROR(SetChoice(std::string_view(word).substr(0, equals),
                                 std::string_view(word).substr(equals + 1),
                                 &changed));
  }
  *choices = changed;
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph

// SPDX-License-Identifier: Apache-2.0
#include "framework/types/post_ops.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>
#include <mutex>

#include "framework/base/float_text.h"
#include "framework/base/hash_map.h"

namespace switchyard {
namespace {

struct Row {
  std::string_view name;
  int numbers;
};

// Indexed by PostOpKind.
constexpr Row kRows[] = {
#define SY_POST_OP(enumerator, name, numbers, ...) {name, numbers},
#include "framework/types/post_ops.def"
#undef SY_POST_OP
};
static_assert(std::size(kRows) <= 32, "PostOpKinds has a bit for each");

const Row& RowOf(PostOpKind kind) { return kRows[static_cast<int>(kind)]; }

struct List {
  std::vector<PostOp> steps;
  std::string text;
};

const List& ListOf(const void* word) {
  static const auto& empty = *new List{{}, "[]"};
  return word == nullptr ? empty : *static_cast<const List*>(word);
}

// The text as ParsePostOps() reads it, and, since numbers have one spelling
// each, the key of the list.
std::string TextOf(absl::Span<const PostOp> steps) {
  std::string text = "[";
  for (const PostOp& step : steps) {
    if (text.size() > 1) text += ", ";
    const Row& row = RowOf(step.kind);
    text += row.name;
    if (row.numbers > 0) text += "(" + ShortestText(step.alpha);
    if (row.numbers > 1) text += ", " + ShortestText(step.beta);
    if (row.numbers > 0) text += ")";
  }
  return text + "]";
}

// Takes the characters from the front of `text` up to one of `ends`, without
// the blanks around them.
std::string_view Take(std::string_view* text, std::string_view ends) {
  const size_t size = std::min(text->find_first_of(ends), text->size());
  std::string_view part = text->substr(0, size);
  text->remove_prefix(size);
  const size_t first = std::min(part.find_first_not_of(' '), part.size());
  part.remove_prefix(first);
  return part.substr(0, part.find_last_not_of(' ') + 1);
}

bool TakeSign(std::string_view* text, char sign) {
  const size_t at = text->find_first_not_of(' ');
  if (at == text->npos || (*text)[at] != sign) return false;
  text->remove_prefix(at + 1);
  return true;
}

std::optional<float> Number(std::string_view text) {
  float value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return value;
}

// Reads lists, and makes the sentence for each that is none.
class Parser {
 public:
  Parser(std::string_view attribute, std::string_view text)
      : attribute_(attribute), whole_(text), rest_(text) {}

  absl::StatusOr<PostOps> Parse() {
    const bool brackets = TakeSign(&rest_, '[');
    std::vector<PostOp> steps;
    if (!IsAt(brackets ? "]" : "")) {
      do {
        SY_ASSIGN_OR_RETURN(const PostOp step, ParseStep());
        steps.push_back(step);
      } while (brackets && TakeSign(&rest_, ','));
    }
    if (brackets && !TakeSign(&rest_, ']')) return Malformed();
    if (rest_.find_first_not_of(' ') != rest_.npos) return Malformed();
    return PostOps::Make(attribute_, steps);
  }

 private:
  bool IsAt(std::string_view sign) const {
    const size_t at = rest_.find_first_not_of(' ');
    if (at == rest_.npos) return sign.empty();
    return !sign.empty() && rest_[at] == sign[0];
  }

  absl::Status Malformed() const {
    return ArgumentError(attribute_,
                         "a list such as [leaky_relu(0.1), clip(0.0, 6.0)]",
                         "\"" + std::string(whole_) + "\"");
  }

  absl::StatusOr<PostOp> ParseStep() {
    const std::string_view name = Take(&rest_, "(),[]");
    const std::optional<PostOpKind> kind = FindPostOpKind(name);
    if (!kind.has_value() || *kind == PostOpKind::kNone) {
      return ArgumentError(attribute_,
                           "a list of " + ToString(PostOpKinds::All()),
                           "\"" + std::string(name) + "\"");
    }
    float numbers[2] = {};
    int count = 0;
    if (TakeSign(&rest_, '(')) {
      do {
        const std::optional<float> number = Number(Take(&rest_, "(),[]"));
        if (!number.has_value()) return Malformed();
        if (count < 2) numbers[count] = *number;
        ++count;
      } while (TakeSign(&rest_, ','));
      if (!TakeSign(&rest_, ')')) return Malformed();
    }
    const int expected = RowOf(*kind).numbers;
    if (count != expected) {
      return ArgumentError(attribute_,
                           std::string(name) + " with " +
                               std::to_string(expected) +
                               (expected == 1 ? " number" : " numbers"),
                           std::to_string(count));
    }
    return PostOp{*kind, numbers[0], numbers[1]};
  }

  std::string_view attribute_, whole_, rest_;
};

}  // namespace

std::string_view Name(PostOpKind kind) { return RowOf(kind).name; }

std::optional<PostOpKind> FindPostOpKind(std::string_view name) {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].name == name) return static_cast<PostOpKind>(i);
  }
  return std::nullopt;
}

std::string ToString(PostOpKinds kinds) {
  std::vector<std::string_view> names;
  for (size_t i = 1; i < std::size(kRows); ++i) {
    if (kinds.contains(static_cast<PostOpKind>(i))) {
      names.push_back(kRows[i].name);
    }
  }
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

absl::StatusOr<PostOps> PostOps::Make(std::string_view attribute,
                                      absl::Span<const PostOp> steps) {
  auto list = std::make_unique<List>();
  for (PostOp step : steps) {
    if (step.kind == PostOpKind::kNone) continue;
    const int numbers = RowOf(step.kind).numbers;
    if (numbers < 1) step.alpha = 0;
    if (numbers < 2) step.beta = 0;
    list->steps.push_back(step);
  }
  if (list->steps.empty()) return PostOps();
  if (list->steps.size() > kMaxSize) {
    return ArgumentError(
        attribute, "of at most " + std::to_string(kMaxSize) + " functions",
        std::to_string(list->steps.size()));
  }
  list->text = TextOf(list->steps);
  static std::mutex mutex;
  static auto& lists = *new HashMap<std::string_view, std::unique_ptr<List>>();
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = lists.find(list->text);
  if (found != lists.end()) return OfWord(found->second.get());
  const List* const made = list.get();
  lists.emplace(made->text, std::move(list));
  return OfWord(made);
}

absl::Span<const PostOp> PostOps::steps() const { return ListOf(list_).steps; }

PostOp PostOps::only() const {
  return empty() ? PostOp() : ListOf(list_).steps.front();
}

std::string_view PostOps::text() const { return ListOf(list_).text; }

absl::StatusOr<PostOps> ParsePostOps(std::string_view attribute,
                                     std::string_view text) {
  return Parser(attribute, text).Parse();
}

}  // namespace switchyard

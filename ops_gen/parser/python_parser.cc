// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/python_parser.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/base/status.h"
#include "ops_gen/parser/facts_parser.h"
#include "ops_gen/parser/names.h"
#include "ops_gen/parser/nearest.h"
#include "ops_gen/parser/scanner.h"

namespace switchyard::ops_gen {
namespace {

// Modules that show operators under their own names, beside or instead of `sy`.
constexpr std::string_view kModules[] = {"nn.functional", "linalg"};
// All that may stand there.
constexpr std::string_view kWords[] = {"nn.functional", "linalg", "function",
                                       "method", "none"};

PublicPlaces DefaultPlaces(const Op& op) {
  PublicPlaces places;
  places.function = places.method =
      !op.gradient.has_value() && HasTrait(op, "elementwise");
  return places;
}

// "(mm, dot)", of which the opening bracket has been read.
absl::Status ScanAliases(Scanner& scanner, const Op& op, PublicPlaces& places) {
  do {
    SY_ASSIGN_OR_RETURN(std::string alias, scanner.Name("another name"));
    SY_RETURN_IF_ERROR(CheckName(alias));
    const auto& known = places.aliases;
    if (alias == op.name ||
        std::find(known.begin(), known.end(), alias) != known.end()) {
      return Unexpected("each name once", absl::StrCat("'", alias, "' again"));
    }
    places.aliases.push_back(std::move(alias));
  } while (scanner.Take(", "));
  return scanner.Expect(")");
}

absl::Status AddModule(std::string_view word, PublicPlaces& places) {
  const auto* known = std::find(std::begin(kModules), std::end(kModules), word);
  if (known == std::end(kModules)) {
    return Unexpected("function, method or none, then linalg or nn.functional",
                      Guessed(word, kWords));
  }
  std::string module(word);
  if (!places.modules.empty() && places.modules.back() >= module) {
    return Unexpected("modules in alphabetical order, each once", Quoted(word));
  }
  places.modules.push_back(std::move(module));
  return absl::OkStatus();
}

absl::StatusOr<PublicPlaces> ScanPlaces(const std::string& text, const Op& op) {
  PublicPlaces places;
  if (text == "none") return places;
  Scanner scanner(text);
  bool first = true;
  do {
    const std::string_view word = scanner.Until(" ,");
    if (first && (word == "function" || word == "method")) {
      places.function = true;
      places.method = word == "method";
      if (scanner.Take(" (")) {
        SY_RETURN_IF_ERROR(ScanAliases(scanner, op, places));
      }
    } else {
      SY_RETURN_IF_ERROR(AddModule(word, places));
    }
    first = false;
  } while (scanner.Take(", "));
  SY_RETURN_IF_ERROR(scanner.End());
  return places;
}

}  // namespace

absl::Status ParsePython(const YamlFields& fields, Op& op) {
  const PublicPlaces otherwise = DefaultPlaces(op);
  op.places = otherwise;
  const YamlNode* node = fields.Find("python");
  if (node == nullptr) return absl::OkStatus();
  if (op.gradient.has_value()) {
    return node->Error("no key 'python' in the entry of a gradient", "it");
  }
  SY_ASSIGN_OR_RETURN(const std::string text, node->Text());
  absl::StatusOr<PublicPlaces> places = ScanPlaces(text, op);
  SY_RETURN_IF_ERROR(node->Wrap(places.status()));
  op.places = *std::move(places);
  if (op.places == otherwise) {
    return node->Error("another place than it has without the key",
                       Quoted(text));
  }
  const Arguments& arguments = op.signature.arguments;
  if (op.places.method && arguments.inputs.empty()) {
    return node->Error("a first argument that is a tensor beside 'method'",
                       "none");
  }
  return absl::OkStatus();
}

}  // namespace switchyard::ops_gen

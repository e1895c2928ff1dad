// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/names.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "framework/base/status.h"
#include "ops_gen/parser/scanner.h"

namespace switchyard::ops_gen {
namespace {

// Keywords of C++ and Python that are lower case, and the few names that
// generated code takes for itself.
constexpr char kReserved[] =
    " "
    "alignas alignof and and_eq as asm assert async attrs auto await begins "
    "bitand bitor bool break call case catch char char16_t char32_t class "
    "compl const const_cast constexpr context continue decltype def default "
    "del delete do double dynamic_cast elif else enum except explicit "
    "export extern false finally float for friend from function global goto "
    "if import in inline inputs int is lambda long mutable namespace new "
    "noexcept nonlocal not not_eq nullptr operator or or_eq outputs pass "
    "private protected public raise register reinterpret_cast result "
    "results return short signed sizeof static static_assert static_cast "
    "status struct switch template this thread_local throw true try typedef "
    "typeid typename union unsigned using virtual void volatile wchar_t "
    "while with xor xor_eq yield ";

bool IsReserved(std::string_view name) {
  return absl::StrContains(kReserved,
                           absl::StrCat(" ", std::string(name), " "));
}

absl::Status ReservedError(std::string_view name) {
  return Unexpected("a name that is no keyword",
                    absl::StrCat("'", std::string(name), "'"));
}

}  // namespace

absl::Status CheckName(std::string_view name) {
  Scanner scanner(name);
  SY_RETURN_IF_ERROR(scanner.Name("a name of a-z, 0-9 and _").status());
  SY_RETURN_IF_ERROR(scanner.End());
  return IsReserved(name) ? ReservedError(name) : absl::OkStatus();
}

absl::StatusOr<std::string> FunctionName(const YamlNode& node) {
  SY_ASSIGN_OR_RETURN(std::string text, node.Text());
  Scanner scanner(text);
  SY_RETURN_IF_ERROR(
      node.Wrap(scanner.Name("a function's name", /*any_case=*/true).status()));
  SY_RETURN_IF_ERROR(node.Wrap(scanner.End()));
  if (IsReserved(text)) return node.Wrap(ReservedError(text));
  return text;
}

}  // namespace switchyard::ops_gen

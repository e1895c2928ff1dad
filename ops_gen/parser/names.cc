// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/names.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "framework/base/status.h"
#include "ops_gen/parser/scanner.h"

namespace switchyard::ops_gen {
namespace {

// Keywords of C++ and Python that are lower case, and the few names that
// generated code takes for itself.
constexpr std::string_view kReserved[] = {
    "alignas",  "alignof",  "and",       "as",       "asm",      "assert",
    "async",    "attrs",    "auto",      "await",    "begins",   "bool",
    "break",    "call",     "case",      "catch",    "char",     "class",
    "const",    "context",  "continue",  "def",      "default",  "del",
    "delete",   "do",       "double",    "elif",     "else",     "enum",
    "except",   "explicit", "export",    "extern",   "false",    "finally",
    "float",    "for",      "friend",    "from",     "function", "global",
    "goto",     "if",       "import",    "in",       "inline",   "inputs",
    "int",      "is",       "lambda",    "long",     "mutable",  "namespace",
    "new",      "nonlocal", "not",       "operator", "or",       "outputs",
    "pass",     "private",  "protected", "public",   "raise",    "register",
    "result",   "results",  "return",    "short",    "signed",   "sizeof",
    "static",   "status",   "struct",    "switch",   "template", "this",
    "throw",    "true",     "try",       "typedef",  "typename", "union",
    "unsigned", "using",    "virtual",   "void",     "volatile", "while",
    "with",     "xor",      "yield",
};

}  // namespace

absl::Status CheckName(std::string_view name) {
  Scanner scanner(name);
  SY_RETURN_IF_ERROR(scanner.Name("a name of a-z, 0-9 and _").status());
  SY_RETURN_IF_ERROR(scanner.End());
  if (std::find(std::begin(kReserved), std::end(kReserved), name) !=
      std::end(kReserved)) {
    return Unexpected("a name that is no keyword",
                      absl::StrCat("'", std::string(name), "'"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> FunctionName(const YamlNode& node) {
  SY_ASSIGN_OR_RETURN(std::string text, node.Text());
  Scanner scanner(text);
  SY_RETURN_IF_ERROR(
      node.Wrap(scanner.Name("a function's name", /*any_case=*/true).status()));
  SY_RETURN_IF_ERROR(node.Wrap(scanner.End()));
  return text;
}

}  // namespace switchyard::ops_gen

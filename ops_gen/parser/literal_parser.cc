// SPDX-License-Identifier: Apache-2.0
#include "ops_gen/parser/literal_parser.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/place.h"

namespace switchyard::ops_gen {
namespace {

bool IsBool(std::string_view text) { return text == "true" || text == "false"; }

bool IsInteger(std::string_view text, int64_t lowest, int64_t highest) {
  const std::string_view digits =
      text.substr(0, 1) == "-" ? text.substr(1) : text;
  if (digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return false;
  }
  if (digits.size() > 1 && digits[0] == '0') return false;
  int64_t value = 0;
  return absl::SimpleAtoi(Absl(text), &value) && value >= lowest &&
         value <= highest;
}

// A number that T has, subnormal ones aside: nothing that a compiler would
// round to infinity or to zero.
template <typename T>
bool IsFloat(std::string_view text) {
  if (text == "inf" || text == "-inf" || text == "nan") return true;
  if (text.find_first_not_of("0123456789.e+-") != std::string_view::npos) {
    return false;
  }
  double value = 0;
  if (!absl::SimpleAtod(Absl(text), &value)) return false;
  const std::string_view digits = text.substr(0, text.find('e'));
  if (digits.find_first_of("123456789") == std::string_view::npos) return true;
  return std::abs(value) >= std::numeric_limits<T>::min() &&
         std::abs(value) <= std::numeric_limits<T>::max();
}

bool IsString(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') {
    return false;
  }
  for (const char c : text.substr(1, text.size() - 2)) {
    // Printable ASCII that means the same in C++, Python and YAML.
    if (c < ' ' || c > '~' || c == '"' || c == '\\') return false;
  }
  return true;
}

bool IsItem(ValueType type, std::string_view text) {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
  switch (type) {
    case ValueType::kBool:
      return IsBool(text);
    case ValueType::kInt:
      return IsInteger(text, std::numeric_limits<int>::min(),
                       std::numeric_limits<int>::max());
    case ValueType::kInt64:
      return IsInteger(text, kLowest, kHighest);
    case ValueType::kFloat:
      return IsFloat<float>(text);
    case ValueType::kDouble:
      return IsFloat<double>(text);
    case ValueType::kString:
      return IsString(text);
    case ValueType::kScalar:
      return IsBool(text) || IsInteger(text, kLowest, kHighest) ||
             IsFloat<double>(text);
    case ValueType::kDataType:
      return text == "undefined" || ParseDataType(text).has_value();
    case ValueType::kPlace:
      return ParsePlace(text).has_value();
    case ValueType::kPostOps:
      return text == "[]";  // The one that a constant record can hold.
    default:
      return false;  // List types have items of the types above.
  }
}

}  // namespace

absl::StatusOr<Literal> ScanLiteral(ValueType type, std::string_view ends,
                                    Scanner& scanner) {
  const ValueType item_type = ItemType(type);
  const std::string expected =
      absl::StrCat("a literal of type ", Absl(Name(type)));
  Literal literal;
  literal.list = IsList(type);
  if (!literal.list) {
    const std::string_view item = scanner.Item(ends);
    if (!IsItem(item_type, item)) {
      return Unexpected(expected, Quoted(item));
    }
    literal.items.emplace_back(item);
    return literal;
  }
  if (!scanner.Take("{")) return scanner.Error(expected);
  if (scanner.Take("}")) return literal;
  // Texts of a list are std::strings, which no constant record can hold.
  if (item_type == ValueType::kString) {
    return scanner.Error("{}, the one default that a list of texts can have");
  }
  do {
    const std::string_view item = scanner.Item(",}");
    if (!IsItem(item_type, item)) {
      return Unexpected(expected, absl::StrCat("the item '", Absl(item), "'"));
    }
    literal.items.emplace_back(item);
  } while (scanner.Take(", "));
  SY_RETURN_IF_ERROR(scanner.Expect("}"));
  return literal;
}

absl::StatusOr<Literal> ParseLiteral(ValueType type, std::string_view text) {
  Scanner scanner(text);
  SY_ASSIGN_OR_RETURN(Literal literal, ScanLiteral(type, "", scanner));
  SY_RETURN_IF_ERROR(scanner.End());
  return literal;
}

std::string PrintLiteral(const Literal& literal) {
  const std::string items = absl::StrJoin(literal.items, ", ");
  return literal.list ? absl::StrCat("{", items, "}") : items;
}

}  // namespace switchyard::ops_gen

// SPDX-License-Identifier: Apache-2.0
// ValueType: the attribute types of the YAML grammar, and Literal: a default
// value in the grammar's own notation. What they are in C++ is in
// ops_gen/signature/cpp_types.h.
#ifndef SWITCHYARD_OPS_GEN_SCHEMA_VALUE_TYPE_H_
#define SWITCHYARD_OPS_GEN_SCHEMA_VALUE_TYPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace switchyard::ops_gen {

// The attribute types of framework/types/attr_type.def, and a second word for
// int64_t[].
enum class ValueType : uint8_t {
#define SY_ATTR_TYPE(enumerator, word, type) enumerator,
#define SY_ATTR_LIST_TYPE(enumerator, word, item, element) enumerator,
#include "framework/types/attr_type.def"
#undef SY_ATTR_LIST_TYPE
#undef SY_ATTR_TYPE
  kIntArray,
};
inline constexpr int kNumValueTypes =
    static_cast<int>(ValueType::kIntArray) + 1;

// "int", "float[]", "IntArray", ...: the grammar's word.
std::string_view Name(ValueType type);
// All of these words.
std::vector<std::string_view> ValueTypeNames();
// The inverse; nullopt for any other text.
std::optional<ValueType> ParseValueType(std::string_view word);

// The type of one item of a list type; the type itself if it is none.
ValueType ItemType(ValueType type);
bool IsList(ValueType type);

// The items as written: "-1", "true", "\"none\"", "float32"; several in {} for
// a list. A value is legal for its type: only the literal parser makes one.
struct Literal {
  bool list = false;
  std::vector<std::string> items;

  friend bool operator==(const Literal& a, const Literal& b) {
    return a.list == b.list && a.items == b.items;
  }
};

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_SCHEMA_VALUE_TYPE_H_

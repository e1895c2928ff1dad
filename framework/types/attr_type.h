// SPDX-License-Identifier: Apache-2.0
// AttrType: the types that attributes of operators have, and the C++ types by
// which kernels and InferMeta take them.
#ifndef SWITCHYARD_FRAMEWORK_TYPES_ATTR_TYPE_H_
#define SWITCHYARD_FRAMEWORK_TYPES_ATTR_TYPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/types/span.h"
#include "framework/types/data_type.h"
#include "framework/types/place.h"
#include "framework/types/post_ops.h"
#include "framework/types/scalar.h"

namespace switchyard {

// The type of an attribute; framework/types/attr_type.def is the table.
enum class AttrType : uint8_t {
#define SY_ATTR_TYPE(enumerator, word, type) enumerator,
#define SY_ATTR_LIST_TYPE(enumerator, word, item, element) enumerator,
#include "framework/types/attr_type.def"
#undef SY_ATTR_LIST_TYPE
#undef SY_ATTR_TYPE
};

// Returns the YAML's word: "int", "float[]", ...
std::string_view Name(AttrType type);
// Returns the type that has the word; nullopt if none has.
std::optional<AttrType> ParseAttrType(std::string_view word);

// True of the types that are absl::Spans in C++.
bool IsList(AttrType type);
// Returns the type of a list's elements; requires IsList(type).
AttrType ElementType(AttrType type);

namespace internal {
template <typename T>
struct AttrTypeOf;
#define SY_ATTR_TYPE(enumerator, word, type)                         \
  template <>                                                        \
  struct AttrTypeOf<std::remove_cv_t<std::remove_reference_t<type>>> \
      : std::integral_constant<AttrType, AttrType::enumerator> {};
#define SY_ATTR_LIST_TYPE(enumerator, word, item, element) \
  template <>                                              \
  struct AttrTypeOf<absl::Span<const element>>             \
      : std::integral_constant<AttrType, AttrType::enumerator> {};
#include "framework/types/attr_type.def"
#undef SY_ATTR_LIST_TYPE
#undef SY_ATTR_TYPE
}  // namespace internal

// The AttrType of a C++ type: kAttrTypeOf<double>, kAttrTypeOf<Scalar>,
// kAttrTypeOf<absl::Span<const int>>. Compiles for those of the table alone.
template <typename T>
inline constexpr AttrType kAttrTypeOf = internal::AttrTypeOf<T>::value;

// Passes a C++ type to a generic function: typename decltype(tag)::type is the
// type that the table gives, and decltype(tag)::kList says whether it is a
// list, whose elements are decltype(tag)::Element.
template <typename T>
struct AttrTag {
  using type = T;
  static constexpr bool kList = false;
};
template <typename T>
struct AttrTag<absl::Span<const T>> {
  using type = absl::Span<const T>;
  using Element = T;
  static constexpr bool kList = true;
};

// Returns visit(AttrTag<T>()) for the C++ type of `type`. All returns have one
// type.
template <typename Visit>
auto VisitAttrType(AttrType type, Visit&& visit) {
  switch (type) {
#define SY_ATTR_TYPE(enumerator, word, type) \
  case AttrType::enumerator:                 \
    return visit(AttrTag<type>());
#define SY_ATTR_LIST_TYPE(enumerator, word, item, element) \
  case AttrType::enumerator:                               \
    return visit(AttrTag<absl::Span<const element>>());
#include "framework/types/attr_type.def"
#undef SY_ATTR_LIST_TYPE
#undef SY_ATTR_TYPE
  }
  return visit(AttrTag<bool>());  // Not reached: a type is one of these.
}

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TYPES_ATTR_TYPE_H_

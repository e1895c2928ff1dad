// SPDX-License-Identifier: Apache-2.0
// ReadAttributes: the attributes of an operator in an old program description,
// as phi/legacy/legacy_call.h takes them.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_LEGACY_ATTRIBUTES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_LEGACY_ATTRIBUTES_H_

#include <list>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/scalar.h"
#include "phi/legacy/legacy_call.h"
#include "static_graph/translate/program_desc.h"

namespace switchyard::static_graph {

// Lists of values that a description has in another form. They stay where they
// are when this is moved.
struct KeptLists {
  std::list<std::vector<Scalar>> scalars;
  std::list<std::vector<std::string>> texts;
};

// The attributes of an operator. Values refer into it or into `kept`.
struct LegacyAttributes {
  std::vector<phi::LegacyAttrValue> values;
  KeptLists kept;
};

// Refers into `attr`, or into `kept`, which gets its numbers and texts.
// InvalidArgument for one without the value that its type promises, TypeError
// for one of a kind that no Attribute has (blocks).
absl::StatusOr<AttrRef> ReadAttribute(const translate::OpDesc::Attr& attr,
                                      KeptLists* kept);

// Refers into `op`. An attribute that is there again with the same value counts
// once. Unimplemented for an attribute that is a block;
// InvalidArgument for one without the value that its type promises, and for one
// whose value is read but of a kind that is not (blocks).
// Those without effect are passed on by name alone.
absl::StatusOr<LegacyAttributes> ReadAttributes(const translate::OpDesc& op,
                                                const phi::LegacyForm& form);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_LEGACY_ATTRIBUTES_H_

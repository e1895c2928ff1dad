// SPDX-License-Identifier: Apache-2.0
// Constants of programs in JSON: axes, shapes and other numbers come as the
// results of operators, and become attributes of ours where they are known.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_CONSTANTS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_CONSTANTS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "framework/types/shape.h"
#include "static_graph/ir/builder.h"

namespace switchyard::static_graph {

// Creates a constant of `shape`, each element of which is `value`; a null value
// if it is large (over 64 elements) or of a dtype that is no attribute's (bool,
// int32, int64, float32 and float64 are).
absl::StatusOr<ir::Value> BuildFilled(ir::Builder& builder, const Shape& shape,
                                      const Scalar& value, DataType dtype);

// Creates a constant of one axis with these elements.
absl::StatusOr<ir::Value> BuildIntegers(ir::Builder& builder,
                                        absl::Span<const int64_t> elements);

// Returns `values` with each one that is stacked or joined replaced by its
// parts: one after the other they have the same elements.
std::vector<ir::Value> Unstacked(absl::Span<const ir::Value> values);

// The attribute of type `to` that the elements of constants are, one constant
// after another; nullopt if one of the values is no constant. TypeError and
// ArgumentError, with `name`, where they don't fit.
absl::StatusOr<std::optional<Attribute>> KnownAttribute(
    std::string_view name, absl::Span<const ir::Value> values, AttrType to);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_CONSTANTS_H_

// SPDX-License-Identifier: Apache-2.0
// Control flow of other systems' programs, as operations of the dialect `cf`
// (static_graph/dialect/cf_dialect.h): the common part of loops and branches of
// all formats.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_STRUCTURED_CONTROL_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_STRUCTURED_CONTROL_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// Adds a loop that runs `body` as long as the value number `condition` among
// the loop's values, a bool of one element, holds; the body yields the next
// values. Results and errors as of BuildWhile, which may call `body` several
// times. A next value of one element becomes one of the rank that the loop's
// value has, [] or [1]: old programs took both for a number. A value that
// the body writes without reading it may be of any type before the loop.
absl::StatusOr<std::vector<ir::Value>> BuildConditionLoop(
    ir::Builder& builder, absl::Span<const ir::Value> init, int condition,
    BodyFunction body);

// Adds the choice of `values[mask]`; `values` is not empty. `mask` is a bool or
// an integer of one element. With two values, any mask except 0 chooses the
// second; with more, a mask out of range chooses the last. ArgumentError, as of
// BuildIf, for values of several dtypes or ranks.
absl::StatusOr<ir::Value> BuildSelection(ir::Builder& builder, ir::Value mask,
                                         absl::Span<const ir::Value> values);

// Adds the value of a variable that is read before it is written: zeros of the
// spec, without elements where an extent is unknown; an empty array.
absl::StatusOr<ir::Value> BuildUnwritten(ir::Builder& builder,
                                         const TensorSpec& spec);

// Adds a constant int64 of shape [1].
absl::StatusOr<ir::Value> BuildNumber(ir::Builder& builder, int64_t number);

// Returns `value`; reshaped, if one of it and `like` is a [] and the other a
// [1].
absl::StatusOr<ir::Value> BuildLike(ir::Builder& builder, ir::Value value,
                                    ir::Type like);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_STRUCTURED_CONTROL_H_
